import { removeDevices } from '#devices';
import type { CredentialChange } from '#messages';
import { lockUser } from '#people';
import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { lockSession, revokeSessions } from '#sessions';
import { voidOpenProofs } from './open-proofs.ts';

type Consequences = { sessions: boolean; devices: boolean; proofs: boolean };

const NOTHING: Consequences = { sessions: false, devices: false, proofs: false };
const ADDRESS: Consequences = { sessions: true, devices: false, proofs: true };
const EVERYTHING: Consequences = { sessions: true, devices: true, proofs: true };

/**
 * What a change of a user's credentials ends: their other sessions, remembered devices, and open proofs (links, codes
 * and flows that were started before). The session that makes the change goes on.
 */
export const ENDED_BY: Readonly<Record<CredentialChange, Consequences>> = {
  password: EVERYTHING,
  email: ADDRESS,
  phone: ADDRESS,
  totp_added: EVERYTHING,
  totp_removed: EVERYTHING,
  phone_factor_added: EVERYTHING,
  phone_factor_removed: EVERYTHING,
  passkey_added: EVERYTHING,
  passkey_removed: EVERYTHING,
  passkey_changed: EVERYTHING,
  mfa_reset: EVERYTHING,
  identity_linked: ADDRESS,
  identity_unlinked: ADDRESS,
  reclaimed: EVERYTHING,
  // Recovery codes stand in for a factor, which stays unchanged.
  recovery_codes: NOTHING,
  recovery_code_used: NOTHING,
};

/**
 * Ends what a change of a user's credentials ends. Serialises changes by two sessions of one user: the second one finds
 * its session ended, so an intruder can't add a credential just after the owner has ended the other sessions.
 * @throws Problem SESSION_REVOKED
 */
export async function endWithCredentials(tx: TxCtx, userId: UserId, change: CredentialChange): Promise<void> {
  const { sessions, devices, proofs } = ENDED_BY[change];
  await lockUser(tx, userId);
  // Proofs before sessions: a sign-in that is spending a proof concurrently finishes first, and its session ends with the others.
  if (proofs) await voidOpenProofs(tx, userId);
  if (sessions) await endOthers(tx, userId, change);
  if (devices) await removeDevices(tx, userId, 'all');
}

async function endOthers(tx: TxCtx, userId: UserId, change: CredentialChange): Promise<void> {
  const { actor } = tx;
  // Undefined if a mailed link, an administrator or the system makes the change.
  const own = actor.kind === 'customer' && actor.userId === userId ? actor.sessionId : undefined;
  if (own) await lockSession(tx, own);
  await revokeSessions(tx, userId, own ? { except: own } : 'all', reasonOf(change, own !== undefined));
}

function reasonOf(change: CredentialChange, own: boolean): string {
  if (change === 'mfa_reset') return change;
  if (change !== 'password') return 'credentials_changed';
  return own ? 'password_changed' : 'password_reset';
}
