import { requireStillAdmitted } from '#admission';
import { browserSession } from '#oidc';
import type { Ctx, Scope } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { Problem } from '#platform/problem.ts';
import { ctxFor } from '#requests';
import { findEntry } from '#sessions';
import { toSignIn } from './visit.ts';

/**
 * Runs the work for a visitor whose browser is signed in as an active member of a project. Others are sent to sign in, as
 * on their account page, and come back.
 * @param back the path to come back to, below `/account`
 */
export async function asMember(
  { request, reply }: { request: Request; reply: Reply },
  { scope, back }: { scope: Scope; back: string },
  work: (ctx: Ctx) => Promise<Reply>,
): Promise<Reply> {
  const ctx = ctxFor(request, scope);
  const session = await browserSession(request, reply);
  const entry = session && (await findEntry(ctx, session.sessionId));
  if (!session || !entry) return toSignIn(request, reply, { scope, back });
  try {
    await requireStillAdmitted(ctx, 'account_page', entry);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'REAUTHENTICATION_REQUIRED') throw error;
    const again = { as: null, secondFactor: error.extensions['acr'] === 'aal2', ownProof: false };
    return toSignIn(request, reply, { scope, back, again });
  }
  const { userId, sessionId } = session;
  return work({ ...ctx, actor: { kind: 'customer', userId, sessionId, entryId: entry.entryId } });
}
