import type { Ctx } from '#platform/ctx.ts';
import { limitKey, limits } from '#platform/limits.ts';
import { problemWithRetry } from '#platform/problem.ts';
import { sourceOf } from '#platform/source.ts';

const doors = limits({
  'status-subscribe': { points: 5, seconds: 600 },
  'status-manage': { points: 5, seconds: 600 },
  // Limits the messages to one address, from whichever source they are requested.
  'status-confirmations': { points: 3, seconds: 86_400 },
  'status-codes': { points: 10, seconds: 3_600 },
});

/** @throws Problem RATE_LIMIT_EXCEEDED beyond five times in ten minutes from one address */
export async function takeTurn(ctx: Ctx, door: 'status-subscribe' | 'status-manage'): Promise<void> {
  const taken = await doors(ctx.system)[door].take(ctx, limitKey(sourceOf(ctx.trace)));
  if (!taken.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', taken.retryAfter);
}

/**
 * Counts a message to an address that somebody asked for. Codes by mail have a limit of their own, so that requests of others
 * lock nobody out for a day.
 * @returns whether it may be sent
 */
export async function mayMessage(
  ctx: Ctx,
  digest: Buffer,
  door: 'status-confirmations' | 'status-codes' = 'status-confirmations',
): Promise<boolean> {
  const { allowed } = await doors(ctx.system)[door].take(ctx, limitKey(digest.toString('hex')));
  return allowed;
}
