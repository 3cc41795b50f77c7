import { addMember, findMember, memberSeen } from '#members';
import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { issueRefreshToken, startSession } from '#sessions';
import { projectOf } from '#tenancy';

/**
 * The end of every way in: the person enters `tx.scope`'s project with a new session. Where registration is open, signing in
 * also joins the project, as registering anew would.
 * @throws Problem MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
export async function signIn(tx: TxCtx, userId: UserId, how: { amr: string[]; acr: string }) {
  await ensureMember(tx, userId);
  await memberSeen(tx, userId);
  const entry = await startSession(tx, userId, how);
  return { entry, refresh: await issueRefreshToken(tx, entry) };
}

async function ensureMember(tx: TxCtx, userId: UserId): Promise<void> {
  const member = await findMember(tx, userId);
  if (member?.status === 'active') return;
  if (member?.status === 'blocked') throw problem('MEMBER_BLOCKED');
  const { settings } = await projectOf(tx.system, tx.scope);
  if (settings.registration !== 'open') throw problem('MEMBERSHIP_REQUIRED');
  await addMember(tx, userId);
}
