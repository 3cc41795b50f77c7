import { passSmsGuard } from '#billing';
import { accountThrottled } from '#notices';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { mailboxOf } from '#platform/email-address.ts';
import type { NormalisedIdentifier } from '#platform/identifiers.ts';
import type { UserId } from '#platform/ids.ts';
import { type Limit, limitKey, limits, settle } from '#platform/limits.ts';
import { problemWithRetry } from '#platform/problem.ts';
import { sourceOf } from '#platform/source.ts';
import { familiarityOf } from '#sessions';

const QUARTER_HOUR = 15 * 60;
const HOUR = 3_600;

/** The kind of proof an attempt is for. Each has its own counters, so a success with one does not reset another. */
export type Way = 'password' | 'totp' | 'totp_enrolment' | 'phone' | 'recovery_code' | 'passkey' | 'email_code';

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

const counters = limits(COUNTERS);

/** An attempt that was counted before it was made. */
export type CountedAttempt = {
  /**
   * False if the attempts of the account are used up through another identifier. The attempt must be refused like a
   * wrong one, after the same work: a different response would reveal which identifiers belong to one account.
   */
  allowed: boolean;
  /** Earlier consecutive failures, as far as the counters reach back. */
  failures: number;
  /** Call after a success: resets the counters. */
  forget: () => Promise<void>;
  /**
   * Call after a failure.
   * @throws Problem RATE_LIMIT_EXCEEDED when the project has too many
   */
  failed: () => Promise<void>;
};

const NOBODY: UserId = 'usr_00000000000000000000000000';

/** The target of an attempt: the account, and the typed identifier, if any. `userId` is null if there is no account. */
type Target = { way: Way; userId: UserId; identifier?: never } | NamedTarget;
type NamedTarget = { way: Way; userId: UserId | null; identifier: NormalisedIdentifier };

/**
 * Counts an attempt before it is made, so that parallel attempts can't slip past the limit. Does the same work whether
 * or not the account exists.
 * @throws Problem ACCOUNT_THROTTLED, RATE_LIMIT_EXCEEDED
 */
export async function countAttempt(ctx: Ctx, { way, userId, identifier }: Target): Promise<CountedAttempt> {
  const { place, strangers, known, source, scope } = counters(ctx.system);
  const { workspaceId, environment, projectId } = ctx.scope;
  const typed = identifier ? [identifier.kind, identifier.value] : [userId ?? ''];
  const typedKey = limitKey(workspaceId, environment, way, ...typed);
  const accountKey = limitKey(workspaceId, environment, way, 'account', ...(userId === null ? typed : [userId]));
  const placeKey = limitKey(typedKey, sourceOf(ctx.trace));
  const sourceKey = limitKey(workspaceId, environment, sourceOf(ctx.trace));
  const [familiar, bySource] = await Promise.all([
    isKnownSource(ctx, userId),
    source.take(ctx, sourceKey, { told: true }),
  ]);
  if (!bySource.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', bySource.retryAfter);
  const limit = familiar ? known : strangers;
  const byPlace = await takeOrThrow(ctx, { limit: place, key: placeKey, told: true }, userId);
  if (identifier) await takeOrThrow(ctx, { limit, key: typedKey, told: false }, null);
  const byAccount = await limit.take(ctx, accountKey);
  const tell = () => tellFirst(ctx, limit, byAccount, userId);
  if (!byAccount.allowed && !identifier) {
    await tell();
    throw problemWithRetry('ACCOUNT_THROTTLED', byAccount.retryAfter);
  }
  return {
    allowed: byAccount.allowed,
    failures: Math.max(byPlace, byAccount.count) - 1,
    forget: async () => {
      const keys = [typedKey, accountKey];
      const forget = [strangers, known].flatMap((each) => keys.map((key) => [each, key] as const));
      await settle(ctx, { forget: [[place, placeKey], ...forget], giveBack: [[source, sourceKey]] });
    },
    failed: async () => {
      await tell();
      const byScope = await scope.take(ctx, limitKey(workspaceId, environment, projectId));
      if (!byScope.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', byScope.retryAfter);
    },
  };
}

/** Does the same work whether or not the account exists. */
async function isKnownSource(ctx: Ctx, userId: UserId | null): Promise<boolean> {
  return ctx.trace.ip !== null && (await familiarityOf(ctx, userId ?? NOBODY)).source;
}

type Counter = { limit: Limit; key: string; told: boolean };

/** @returns the number of attempts, including this one */
async function takeOrThrow(ctx: Ctx, { limit, key, told }: Counter, owner: UserId | null): Promise<number> {
  const taken = await limit.take(ctx, key, { told });
  if (taken.allowed) return taken.count;
  await tellFirst(ctx, limit, taken, owner);
  throw problemWithRetry('ACCOUNT_THROTTLED', taken.retryAfter);
}

/** Notifies the owner of the account of the first refusal in a period. */
async function tellFirst(ctx: Ctx, limit: Limit, { count }: { count: number }, owner: UserId | null): Promise<void> {
  if (owner !== null && count === limit.points + 1) await transaction(ctx, (tx) => accountThrottled(tx, owner));
}

/** A requested message: its address, the account it is about, and the typed identifier if that is not the address. */
export type WantedMessage = {
  channel: 'email' | 'phone';
  address: string;
  userId: UserId | null;
  typed?: string | undefined;
};

/**
 * Counts a message before it is sent, whether or not there is an account. The caller learns of limits on their own
 * requests. The number of messages that others had sent to the address stays secret, so beyond that limit the response
 * is the usual one.
 * @returns false if the message must not be sent
 * @throws Problem RATE_LIMIT_EXCEEDED; for a phone also ADDON_REQUIRED, PLAN_LIMIT_EXCEEDED, VALIDATION_FAILED
 */
export async function countMessage(
  ctx: Ctx,
  { channel, address, userId, typed = address }: WantedMessage,
): Promise<boolean> {
  if (channel === 'phone') {
    await passSmsGuard(ctx, address);
    return true;
  }
  const { workspaceId, environment, projectId } = ctx.scope;
  const rules = counters(ctx.system);
  const source = sourceOf(ctx.trace);
  const counted: [limit: Limit, key: string[], told: boolean][] = [
    [rules['email-source'], [source], true],
    [rules['email-place'], [mailboxOf(typed), source], false],
    [rules['email-scope'], [projectId], false],
  ];
  for (const [limit, key, told] of counted) {
    // biome-ignore lint/performance/noAwaitInLoops: what the source is refused must not count for the address
    const taken = await limit.take(ctx, limitKey(workspaceId, environment, ...key), { told });
    if (!taken.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', taken.retryAfter);
  }
  const familiar = await isKnownSource(ctx, userId);
  const limit = familiar ? rules['email-known'] : rules['email-address'];
  return (await limit.take(ctx, limitKey(workspaceId, environment, mailboxOf(address)))).allowed;
}
