import { passSmsGuard } from '#billing';
import type { NormalisedIdentifier } from '#identity';
import { type Ctx, type Trace, type TxCtx, transaction } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { type Limit, limitKey, limits, settle } from '#platform/limits.ts';
import { problemWithRetry } from '#platform/problem.ts';
import { isKnownSource } from '#sessions';
import { accountThrottled } from './notices.ts';

const QUARTER_HOUR = 15 * 60;
const HOUR = 3_600;

/**
 * Consecutive failures allowed: per account and source first, so that guessing from one place can't lock the owner out
 * elsewhere (AU-2); per account from sources it was never used from, and a reserve for those it was. The last two add up to
 * the 100 that NIST SP 800-63B-4 §3.2.2 allows (AU-1). Then one source over all accounts, and a project over all sources.
 */
const attempts = limits({
  place: { points: 20, seconds: QUARTER_HOUR },
  strangers: { points: 80, seconds: HOUR },
  known: { points: 20, seconds: HOUR },
  source: { points: 300, seconds: QUARTER_HOUR },
  scope: { points: 20_000, seconds: QUARTER_HOUR },
});

/** An attempt that was counted before it was made. */
export type CountedAttempt = {
  /** Earlier failures in a row, as far as they are remembered. */
  failures: number;
  /** After a success: nothing of it counts any more. */
  forget: () => Promise<void>;
  /** After a failure. @throws Problem RATE_LIMIT_EXCEEDED when the project has too many */
  failed: () => Promise<void>;
};

const NOBODY: UserId = 'usr_00000000000000000000000000';

/** What is guessed at: an identifier somebody typed, or the second factor of an account. */
type Target = { account: NormalisedIdentifier | { kind: 'mfa'; value: UserId }; userId: UserId | null };

/**
 * Counts an attempt before it is made, so that parallel attempts can't slip past the limit. Does the same work whether or not
 * the account exists.
 * @throws Problem ACCOUNT_THROTTLED, RATE_LIMIT_EXCEEDED
 */
export async function countAttempt(ctx: Ctx, { account, userId }: Target): Promise<CountedAttempt> {
  const { place, strangers, known, source, scope } = attempts(ctx.system);
  const { workspaceId, environment, projectId } = ctx.scope;
  const accountKey = limitKey(workspaceId, environment, account.kind, account.value);
  const placeKey = limitKey(accountKey, ctx.trace.ip ?? '');
  const sourceKey = limitKey(workspaceId, environment, ctx.trace.ip ?? '');
  const [familiar, bySource] = await Promise.all([
    ctx.trace.ip !== null && isKnownSource(ctx, userId ?? NOBODY, ctx.trace.ip),
    source.take(sourceKey, ctx.trace),
  ]);
  if (!bySource.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', bySource.retryAfter);
  const byPlace = await takeOrTell(ctx, { limit: place, key: placeKey, told: true }, userId);
  const byAccount = await takeOrTell(
    ctx,
    { limit: familiar ? known : strangers, key: accountKey, told: false },
    userId,
  );
  return {
    failures: Math.max(byPlace, byAccount) - 1,
    forget: async () => {
      const forget = [[place, placeKey] as const, [strangers, accountKey] as const, [known, accountKey] as const];
      await settle(ctx.system, { forget, giveBack: [[source, sourceKey]] });
    },
    failed: async () => {
      const byScope = await scope.take(limitKey(workspaceId, environment, projectId));
      if (!byScope.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', byScope.retryAfter);
    },
  };
}

/** The first refusal of a period is told to the owner of the account. @returns how many were counted, this one included */
async function takeOrTell(
  ctx: Ctx,
  { limit, key, told }: { limit: Limit; key: string; told: boolean },
  userId: UserId | null,
): Promise<number> {
  const taken = await limit.take(key, told ? ctx.trace : undefined);
  if (taken.allowed) return taken.count;
  if (userId !== null && taken.count === limit.points + 1) await transaction(ctx, (tx) => accountThrottled(tx, userId));
  throw problemWithRetry('ACCOUNT_THROTTLED', taken.retryAfter);
}

/** Mails somebody may have sent: to one address, from one source, in one project. Text messages have rules of the project's own. */
const messages = limits({
  'email-address': { points: 10, seconds: HOUR },
  'email-source': { points: 100, seconds: HOUR },
  'email-scope': { points: 20_000, seconds: HOUR },
});

/**
 * Counts a message before it is sent, whether or not there is an account.
 * @throws Problem RATE_LIMIT_EXCEEDED; for a phone also ADDON_REQUIRED, PLAN_LIMIT_EXCEEDED, VALIDATION_FAILED
 */
export async function countMessage(ctx: Ctx | TxCtx, channel: 'email' | 'phone', address: string): Promise<void> {
  if (channel === 'phone') return passSmsGuard(ctx, address);
  const { workspaceId, environment, projectId } = ctx.scope;
  const rules = messages(ctx.system);
  const counted: [Limit, string, Trace?][] = [
    [rules['email-source'], ctx.trace.ip ?? '', ctx.trace],
    // Whether somebody else wrote to an address lately is not for whoever names it.
    [rules['email-address'], address],
    [rules['email-scope'], projectId],
  ];
  for (const [limit, key, told] of counted) {
    // biome-ignore lint/performance/noAwaitInLoops: what the source is refused must not count for the address
    const taken = await limit.take(limitKey(workspaceId, environment, key), told);
    if (!taken.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', taken.retryAfter);
  }
}
