import { createHash } from 'node:crypto';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Ctx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { problemWithRetry } from '#platform/problem.ts';
import { perSystem, type System } from '#platform/system.ts';
import { isKnownSource } from '#sessions';

const QUARTER_HOUR = 15 * 60;
const HOUR = 3_600;

/**
 * Consecutive failures allowed: per account and source first, so that guessing from one place can't lock the owner out
 * elsewhere (AU-2); per account from sources it was never used from, and a reserve for those it was. The last two add up to
 * the 100 that NIST SP 800-63B-4 §3.2.2 allows (AU-1).
 */
const limits = perSystem((system) => ({
  source: limiter(system, 'login-source', 20, QUARTER_HOUR),
  strangers: limiter(system, 'login-strangers', 80, HOUR),
  known: limiter(system, 'login-known', 20, HOUR),
}));

function limiter(system: System, keyPrefix: string, points: number, duration: number): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: system.pool,
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix,
    points,
    duration,
  });
}

/** Attempts that have been counted and may be taken back. */
export type CountedAttempt = { forget: () => Promise<void> };

const NOBODY: UserId = 'usr_00000000000000000000000000';

/**
 * Counts a sign-in attempt before it is made, so that parallel attempts can't slip past the limit.
 * Does the same work whether or not the account exists.
 * @returns forgets the failures, after a success
 * @throws Problem ACCOUNT_THROTTLED
 */
export async function countAttempt(ctx: Ctx, identifier: string, userId: UserId | null): Promise<CountedAttempt> {
  const { source, strangers, known } = limits(ctx.system);
  const account = digest(ctx.scope.workspaceId, ctx.scope.environment, identifier);
  const place = digest(account, ctx.trace.ip ?? '');
  const familiar = ctx.trace.ip !== null && (await isKnownSource(ctx, userId ?? NOBODY, ctx.trace.ip));
  const overall = familiar ? known : strangers;
  await take(source, place);
  await take(overall, account);
  return {
    forget: async () => {
      await Promise.all([source.delete(place), strangers.delete(account), known.delete(account)]);
    },
  };
}

async function take(limiter: RateLimiterPostgres, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refused) {
    if (refused instanceof RateLimiterRes) throw problemWithRetry('ACCOUNT_THROTTLED', refused.msBeforeNext / 1000);
    throw refused;
  }
}

/** Keys hold no personal data. */
function digest(...parts: string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('base64url');
}
