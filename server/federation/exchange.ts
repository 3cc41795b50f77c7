import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { holdFirstParty } from '#applications';
import { emit } from '#events';
import { Binding, requireBegun, type Shown, spendExchangeCode } from '#exchange';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { Problem, problem } from '#platform/problem.ts';
import {
  type NewAddressChallenge,
  startAddressChallenge,
  type VerificationChallenge,
  verificationChallenge,
} from '#proofs';
import { enterProven } from '#sign-in';
import { Passage, requireMethod, type SignInResponse, signInResponse } from '#ways';
import { enterConnected, SharedLock, staysAsIs } from './connected-people.ts';
import { ConnectionResult, holdIssuer } from './connections.ts';
import { enterUpstream, type LinkRequired, type Unproven, UpstreamResult } from './social.ts';

const Person = Type.Union([IdSchema('usr'), Type.Null()]);

/** The content of an exchange code for a clicked link. */
export const ProvenAddress = Type.Object({
  channel: Type.Enum(['email', 'phone']),
  address: Type.String(),
  userId: Person,
  /** The person signed in when the link was requested. The same browser requested and opened it. */
  begunAs: Person,
  binding: Binding,
});

type Exchanged = Shown & {
  code: string;
  deviceToken?: string | undefined;
  /** The mark of the browser. */
  browser?: string | undefined;
};

/**
 * Signs in with the code that a provider's sign-in or a clicked link brought back.
 * @throws Problem INVALID_TOKEN, METHOD_DISABLED, REGISTRATION_CLOSED, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED,
 * RATE_LIMIT_EXCEEDED
 */
export async function exchangeCode(
  ctx: Ctx,
  exchanged: Exchanged,
): Promise<SignInResponse | Static<typeof LinkRequired> | Static<typeof VerificationChallenge>> {
  const result = await onceMore((again) => enter(ctx, exchanged, again));
  if ('unproven' in result) return askForAddress(ctx, result, exchanged.browser);
  return 'status' in result ? result : signInResponse(ctx, result);
}

function enter(ctx: Ctx, { code, deviceToken, ...shown }: Exchanged, again: boolean) {
  return transaction(ctx, async (tx) => {
    const { purpose, content } = await spendExchangeCode(tx, code, ['upstream', 'address', 'connection']);
    if (purpose === 'address') {
      const { begunAs, binding, ...proven } = parsed(ProvenAddress, content);
      const way = await begunHere(tx, 'exchanged_link', { binding, shown });
      way.passed('method', await requireMethod(tx, 'magic_link'));
      const flow = { ...proven, purpose: 'magic_link', pending: { begunAs }, begunHere: true } as const;
      return enterProven(tx, flow, { way, deviceToken });
    }
    if (purpose === 'connection') {
      const { binding, person, samlLogin = null, ...result } = parsed(ConnectionResult, content);
      const way = await begunHere(tx, 'connection', { binding, shown });
      const held = await holdIssuer(tx, result, async (connection) => !again && staysAsIs(tx, connection, person));
      way.passed('connection', held.connection);
      way.passed('credential', person);
      await emit(tx, 'identity.exchanged', { provider: held.connection.id });
      return enterConnected(tx, { ...held, person, samlLogin }, { way, deviceToken });
    }
    const upstream = parsed(UpstreamResult, content);
    const way = await begunHere(tx, 'social', { binding: upstream.binding, shown });
    way.passed('method', await requireMethod(tx, 'social', upstream.identity.provider));
    way.passed('credential', upstream.identity);
    await emit(tx, 'identity.exchanged', { provider: upstream.identity.provider });
    return enterUpstream(tx, upstream, { way, deviceToken });
  });
}

/**
 * A code can be exchanged only by the browser and application that started the flow.
 * @throws Problem INVALID_TOKEN
 */
async function begunHere(
  tx: TxCtx,
  name: 'exchanged_link' | 'social' | 'connection',
  { binding, shown }: { binding: Binding; shown: Shown },
): Promise<Passage> {
  const way = new Passage(tx, name);
  way.passed('pkce', requireBegun(binding, shown));
  way.passed('application', await requireFirstParty(tx, binding));
  return way;
}

/**
 * A code becomes invalid with the application it was issued to, which may have been disabled, deleted or made third
 * party since.
 * @throws Problem INVALID_TOKEN
 */
export async function requireFirstParty(tx: TxCtx, { clientId }: Pick<Binding, 'clientId'>): Promise<void> {
  if (clientId !== null && !(await holdFirstParty(tx, { clientId }))) throw problem('INVALID_TOKEN');
}

/**
 * A code issued by an older version, with other content, is invalid.
 * @throws Problem INVALID_TOKEN
 */
function parsed<Schema extends typeof ProvenAddress | typeof UpstreamResult | typeof ConnectionResult>(
  schema: Schema,
  content: unknown,
): Static<Schema> {
  if (!Value.Check(schema, content)) throw problem('INVALID_TOKEN');
  return content;
}

/** Sends the code that proves the address; the sign-in at the provider waits for it. */
async function askForAddress(ctx: Ctx, { unproven }: Unproven, browser: string | undefined) {
  const { userId, address, identity } = unproven;
  const flow: NewAddressChallenge = {
    purpose: 'verify_email',
    channel: 'email',
    address,
    userId,
    pending: { identity },
    browser,
  };
  return verificationChallenge(ctx, flow, await startAddressChallenge(ctx, flow));
}

/**
 * Repeats the work once where it may succeed the second time. A new user who signs in in two windows at once: the second
 * finds the account that the first has made. A sign-in that shared the lock of an organization: it has to change it.
 */
async function onceMore<T>(work: (again: boolean) => Promise<T>): Promise<T> {
  try {
    return await work(false);
  } catch (error) {
    if (error instanceof SharedLock || (error instanceof Problem && error.code === 'ALREADY_EXISTS')) return work(true);
    throw error;
  }
}
