import { passSmsGuard } from '#billing';
import { accountThrottled } from '#notices';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { mailboxOf } from '#platform/email-address.ts';
import type { NormalisedIdentifier } from '#platform/identifiers.ts';
import type { UserId } from '#platform/ids.ts';
import { type Counter, type Limit, limitKey, settleSoon, type Taken, takeInOrder } from '#platform/limits.ts';
import { problemWithRetry } from '#platform/problem.ts';
import { sourceOf } from '#platform/source.ts';
import { familiarityOf } from '#sessions';
import { accountKeyOf, counters, partsOf, typedKeyOf, type Way } from './counters.ts';
import { rememberPlace } from './throttled.ts';

/** An attempt that was counted before it was made. */
export type CountedAttempt = {
  /**
   * False if the attempts of the account are used up through another identifier. The attempt must be refused like a
   * wrong one, after the same work: a different response would reveal which identifiers belong to one account.
   */
  allowed: boolean;
  /** Earlier consecutive failures, as far as the counters reach back. */
  failures: number;
  /** Call after a success: resets the counters. Nothing waits for it. */
  forget: () => void;
  /**
   * Call after a failure.
   * @throws Problem RATE_LIMIT_EXCEEDED when the project has too many
   */
  failed: () => Promise<void>;
};

const NOBODY: UserId = 'usr_00000000000000000000000000';

/**
 * The target of an attempt: the account, and the typed identifier, if any. `userId` is null if there is no account.
 * `familiar`: whether the account was used from this source in 90 days, if the caller has read it.
 */
type Target = ({ userId: UserId; identifier?: never } | NamedTarget) & { way: Way; familiar?: boolean };
type NamedTarget = { userId: UserId | null; identifier: NormalisedIdentifier };

/**
 * Counts an attempt before it is made, so that parallel attempts can't slip past the limit. Does the same work whether
 * or not the account exists.
 * @throws Problem ACCOUNT_THROTTLED, RATE_LIMIT_EXCEEDED
 */
export async function countAttempt(ctx: Ctx, { way, userId, identifier, familiar }: Target): Promise<CountedAttempt> {
  const { place, strangers, known, source, scope } = counters(ctx.system);
  const { workspaceId, environment, projectId } = ctx.scope;
  const typed = identifier ?? userId;
  const typedKey = typedKeyOf(ctx, way, typed);
  const accountKey = accountKeyOf(ctx, way, ...partsOf(userId ?? typed));
  const placeKey = limitKey(typedKey, sourceOf(ctx.trace));
  const sourceKey = limitKey(workspaceId, environment, sourceOf(ctx.trace));
  const limit = (familiar ?? (await isKnownSource(ctx, userId))) ? known : strangers;
  const wanted = [
    { limit: source, key: sourceKey, told: true },
    { limit: place, key: placeKey, told: true },
    ...(identifier ? [{ limit, key: typedKey }] : []),
    { limit, key: accountKey },
  ];
  const { byPlace, byAccount } = await within(ctx, await takeInOrder(ctx, wanted), { wanted, userId, way });
  const tell = () => tellFirst(ctx, limit, byAccount, userId);
  if (!byAccount.allowed && !identifier) {
    await tell();
    throw problemWithRetry('ACCOUNT_THROTTLED', byAccount.retryAfter);
  }
  return {
    allowed: byAccount.allowed,
    failures: Math.max(byPlace.count, byAccount.count) - 1,
    forget: () => {
      const keys = [typedKey, accountKey];
      const forget = [strangers, known].flatMap((each) => keys.map((key) => [each, key] as const));
      settleSoon(ctx, { forget: [[place, placeKey], ...forget], giveBack: [[source, sourceKey]] });
    },
    failed: async () => {
      await tell();
      const byScope = await scope.take(ctx, limitKey(workspaceId, environment, projectId));
      if (!byScope.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', byScope.retryAfter);
    },
  };
}

type Owned = { userId: UserId | null; way: Way };

/**
 * The counts by source, by place, by typed identifier (if any) and by account.
 * @throws Problem of the first limit that refuses, but for the account's own, which is left to the caller
 */
async function within(
  ctx: Ctx,
  taken: readonly Taken[],
  { wanted, ...owned }: Owned & { wanted: readonly Counter[] },
): Promise<{ byPlace: Taken; byAccount: Taken }> {
  const refusedAt = taken.findIndex(({ allowed }) => !allowed);
  const [refused, counter] = [taken[refusedAt], wanted[refusedAt]];
  if (refused && counter && refusedAt < wanted.length - 1) {
    if (refusedAt === 0) throw problemWithRetry('RATE_LIMIT_EXCEEDED', refused.retryAfter);
    // The limit by identifier must not reveal whose it is.
    if (refusedAt === 1) await tellOfPlace(ctx, counter, refused, owned);
    throw problemWithRetry('ACCOUNT_THROTTLED', refused.retryAfter);
  }
  const [byPlace, byAccount] = [taken[1], taken[wanted.length - 1]];
  if (!byPlace || !byAccount) throw new Error('unreachable: every key was counted');
  return { byPlace, byAccount };
}

/** Does the same work whether or not the account exists. */
async function isKnownSource(ctx: Ctx, userId: UserId | null): Promise<boolean> {
  return ctx.trace.ip !== null && (await familiarityOf(ctx, userId ?? NOBODY)).source;
}

/** Notifies the owner of the account of the first refusal at a place, and remembers the place. */
async function tellOfPlace(ctx: Ctx, { limit, key }: Counter, taken: Taken, { userId, way }: Owned): Promise<void> {
  if (userId === null || !isFirstRefusal(limit, taken)) return;
  const place = { userId, key, way, source: sourceOf(ctx.trace), seconds: taken.retryAfter };
  await transaction(ctx, async (tx) => {
    await rememberPlace(tx, place);
    await accountThrottled(tx, userId);
  });
}

/** Notifies the owner of the account of the first refusal in a period. */
async function tellFirst(ctx: Ctx, limit: Limit, taken: { count: number }, owner: UserId | null): Promise<void> {
  if (owner !== null && isFirstRefusal(limit, taken)) await transaction(ctx, (tx) => accountThrottled(tx, owner));
}

function isFirstRefusal({ points }: Limit, { count }: { count: number }): boolean {
  return count === points + 1;
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
  const keyOf = (...parts: string[]) => limitKey(workspaceId, environment, ...parts);
  // In this order: a call that the limit of the source refuses does not count against the address.
  const taken = await takeInOrder(ctx, [
    { limit: rules['email-source'], key: keyOf(source), told: true },
    { limit: rules['email-place'], key: keyOf(mailboxOf(typed), source) },
    { limit: rules['email-scope'], key: keyOf(projectId) },
  ]);
  const refused = taken.find(({ allowed }) => !allowed);
  if (refused) throw problemWithRetry('RATE_LIMIT_EXCEEDED', refused.retryAfter);
  const familiar = await isKnownSource(ctx, userId);
  const limit = familiar ? rules['email-known'] : rules['email-address'];
  return (await limit.take(ctx, keyOf(mailboxOf(address)))).allowed;
}
