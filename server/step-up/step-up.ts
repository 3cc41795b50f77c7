import { guardingSecondFactors } from '#factors';
import { type Ctx, customerOf, type TxCtx } from '#platform/ctx.ts';
import { type Problem, problem } from '#platform/problem.ts';
import type { FreshProof } from '#platform/route.ts';
import { proofCounts, type ShownProof } from '#platform/standing.ts';
import { findSession } from '#sessions';

/** How recently a person must have authenticated before sensitive changes, in seconds (SE-4). */
const RECENT_SECONDS = 600;

/** What is missing beside a recent proof. */
type Missing = {
  acr?: 'aal2' | undefined;
  /** The proof must be the person's own: an identity provider of an organization vouched for them. */
  ownProof?: boolean;
};

/**
 * The problem for a session whose proof does not suffice. It names what would, within the last `maxAge` seconds (RFC 9470
 * §3): a second factor (`acr`), a proof of the person's own (`ownProof`), or any proof.
 */
export function reauthenticationRequired({ acr, ownProof = false }: Missing = {}): Problem {
  const details = [
    ...(ownProof ? ['Prove the account by its password, a passkey or a code sent to its address.'] : []),
    ...(acr === undefined ? [] : ['Sign in again with a second factor.']),
  ];
  return problem('REAUTHENTICATION_REQUIRED', {
    ...(details.length > 0 && { detail: details.join(' ') }),
    extensions: { maxAge: RECENT_SECONDS, ...(acr && { acr }), ...(ownProof && { ownProof }) },
  });
}

/**
 * Checks that the session's user authenticated within ten minutes: with any factor, or with a second one if they have
 * one, whatever the project requires at sign-in (NIST SP 800-63B-4 §4.1.2; ASVS 7.5.1). A remembered device is no
 * factor. A sign-in through a connection alone counts only where {@link proofCounts} says so.
 * @param path the parameters of the path, which name the organization that the request is about
 * @throws Problem REAUTHENTICATION_REQUIRED with `maxAge`, `acr` if it has to be a second factor, and `ownProof` if it
 * has to be the person's own
 */
export async function requireFreshProof(ctx: Ctx, proof: FreshProof, path: unknown = {}): Promise<void> {
  const { userId, sessionId } = customerOf(ctx);
  const session = await findSession(ctx, sessionId);
  const since = ctx.now.getTime() - RECENT_SECONDS * 1000;
  const isFresh = (instant: Date | null | undefined) => instant != null && instant.getTime() >= since;
  const about = Object.values<unknown>(Object(path)).filter((value) => typeof value === 'string');
  const counts = !session || (await proofCounts(ctx, { userId, signInMethods: session.signInMethods, about }));
  const missing = { ownProof: !counts };
  if (!isFresh(session?.secondFactorAt)) {
    if (proof === 'second factor' && (await guardingSecondFactors(ctx, userId)).length > 0)
      throw reauthenticationRequired({ ...missing, acr: 'aal2' });
    if (!isFresh(session?.authTime)) throw reauthenticationRequired(missing);
  }
  if (!counts) throw reauthenticationRequired(missing);
}

/**
 * Checks that who begins a session may set up its second factor: an identity provider of an organization may not, for an
 * account that is not wholly the organization's.
 * @throws Problem REAUTHENTICATION_REQUIRED with `ownProof`
 */
export async function requireOwnProof(ctx: Ctx | TxCtx, proof: Omit<ShownProof, 'about'>): Promise<void> {
  if (!(await proofCounts(ctx, { ...proof, about: [] }))) throw reauthenticationRequired({ ownProof: true });
}
