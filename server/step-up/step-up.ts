import { guardingSecondFactors } from '#factors';
import { type Ctx, customerOf } from '#platform/ctx.ts';
import { type Problem, problem } from '#platform/problem.ts';
import type { FreshProof } from '#platform/route.ts';
import { findSession } from '#sessions';

/** How recently a person must have authenticated before sensitive changes, in seconds (SE-4). */
const RECENT_SECONDS = 600;

/**
 * The problem for a session whose proof does not suffice. It names what would: a second factor (`acr`), or any proof,
 * within the last `maxAge` seconds (RFC 9470 §3).
 */
export function reauthenticationRequired(acr?: 'aal2'): Problem {
  const maxAge = RECENT_SECONDS;
  return acr === undefined
    ? problem('REAUTHENTICATION_REQUIRED', { extensions: { maxAge } })
    : problem('REAUTHENTICATION_REQUIRED', {
        detail: 'Sign in again with a second factor.',
        extensions: { acr, maxAge },
      });
}

/**
 * Checks that the session's user authenticated within ten minutes: with any factor, or with a second one if they have
 * one, whatever the project requires at sign-in (NIST SP 800-63B-4 §4.1.2; ASVS 7.5.1). A remembered device is no
 * factor.
 * @throws Problem REAUTHENTICATION_REQUIRED with `maxAge`, and `acr` if it has to be a second factor
 */
export async function requireFreshProof(ctx: Ctx, proof: FreshProof): Promise<void> {
  const { userId, sessionId } = customerOf(ctx);
  const session = await findSession(ctx, sessionId);
  const since = ctx.now.getTime() - RECENT_SECONDS * 1000;
  const isFresh = (instant: Date | null | undefined) => instant != null && instant.getTime() >= since;
  if (isFresh(session?.secondFactorAt)) return;
  if (proof === 'second factor' && (await guardingSecondFactors(ctx, userId)).length > 0)
    throw reauthenticationRequired('aal2');
  if (!isFresh(session?.authTime)) throw reauthenticationRequired();
}
