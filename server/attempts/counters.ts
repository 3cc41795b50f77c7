import type { Ctx } from '#platform/ctx.ts';
import type { NormalisedIdentifier } from '#platform/identifiers.ts';
import type { UserId } from '#platform/ids.ts';
import { limitKey, limits } from '#platform/limits.ts';

const QUARTER_HOUR = 15 * 60;
const HOUR = 3_600;

/** The kind of proof an attempt is for. Each has its own counters, so a success with one does not reset another. */
export const ways = ['password', 'totp', 'totp_enrolment', 'phone', 'recovery_code', 'passkey', 'email_code'] as const;
export type Way = (typeof ways)[number];

/**
 * The counters for attempts and messages; docs/security-model.md shows this table.
 *
 * Attempts are counted by account and source first, so that guessing from one place can't lock the owner out elsewhere
 * (AU-2); then by account, separately for known and for new sources. The last two add up to the 100 that NIST SP
 * 800-63B-4 §3.2.2 allows (AU-1). They are counted by the typed identifier and by the account it belongs to, so an
 * account has one budget, whichever identifier is typed. Messages are counted in the same way.
 */
export const COUNTERS = {
  place: {
    points: 20,
    seconds: QUARTER_HOUR,
    counts: 'attempts of one kind at one account, from one source',
    beyond: '429 `ACCOUNT_THROTTLED`',
  },
  strangers: {
    points: 80,
    seconds: HOUR,
    counts: 'attempts of one kind at one account, from sources that it was not used from in 90 days',
    beyond: '429 `ACCOUNT_THROTTLED`; under another identifier of the account: refused like a wrong one',
  },
  known: {
    points: 20,
    seconds: HOUR,
    counts: 'attempts of one kind at one account, from sources that it was used from in 90 days',
    beyond: '429 `ACCOUNT_THROTTLED`; under another identifier of the account: refused like a wrong one',
  },
  source: {
    points: 300,
    seconds: QUARTER_HOUR,
    counts: 'attempts from one source, at all accounts of a workspace and environment',
    beyond: '429 `RATE_LIMIT_EXCEEDED`',
  },
  scope: {
    points: 20_000,
    seconds: QUARTER_HOUR,
    counts: 'failed attempts in one project',
    beyond: '429 `RATE_LIMIT_EXCEEDED`',
  },
  'email-source': {
    points: 100,
    seconds: HOUR,
    counts: 'mails that one source requests, in a workspace and environment',
    beyond: '429 `RATE_LIMIT_EXCEEDED`',
  },
  'email-place': {
    points: 10,
    seconds: HOUR,
    counts: 'mails that one source requests for one typed identifier',
    beyond: '429 `RATE_LIMIT_EXCEEDED`',
  },
  'email-scope': {
    points: 20_000,
    seconds: HOUR,
    counts: 'mails in one project',
    beyond: '429 `RATE_LIMIT_EXCEEDED`',
  },
  'email-address': {
    points: 10,
    seconds: HOUR,
    counts: 'mails to one address, requested from sources that its account was not used from in 90 days',
    beyond: 'the usual response; nothing is sent',
  },
  'email-known': {
    points: 10,
    seconds: HOUR,
    counts: 'mails to one address, requested from sources that its account was used from in 90 days',
    beyond: 'the usual response; nothing is sent',
  },
} as const;

export const counters = limits(COUNTERS);

type Scoped = Pick<Ctx, 'scope'>;

/** The key of the attempts of one kind at an account, whatever is typed. */
export function accountKeyOf({ scope: { workspaceId, environment } }: Scoped, way: Way, ...account: string[]): string {
  return limitKey(workspaceId, environment, way, 'account', ...account);
}

/** The key of the attempts of one kind at what is typed, or at an account if nothing is. */
export function typedKeyOf(
  { scope: { workspaceId, environment } }: Scoped,
  way: Way,
  typed: NormalisedIdentifier | UserId | null,
): string {
  return limitKey(workspaceId, environment, way, ...partsOf(typed));
}

export function partsOf(typed: NormalisedIdentifier | UserId | null): string[] {
  return typed !== null && typeof typed === 'object' ? [typed.kind, typed.value] : [typed ?? ''];
}
