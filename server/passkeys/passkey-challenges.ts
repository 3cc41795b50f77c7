import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { type Id, newId, type SessionId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import { inRealm, realmColumns } from '#platform/scoped.ts';

export type ChallengeId = Id<'chl'>;

/** The purpose of a challenge: registering a passkey, a sign-in, or its second step. */
type ChallengePurpose = 'registration' | 'sign_in' | 'second_factor';

/**
 * Whose response counts: any passkey holder's, that of the user who is asked, or that of the user whose session
 * registers a passkey.
 */
export type ChallengeBinding =
  | { purpose: 'sign_in' }
  | { purpose: 'second_factor'; userId: UserId }
  | { purpose: 'registration'; userId: UserId; sessionId: SessionId };

type PasskeyChallengesTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  id: ChallengeId;
  purpose: ChallengePurpose | null;
  user_id: UserId | null;
  session_id: SessionId | null;
  challenge: string;
  rp_id: string;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    passkey_challenges: PasskeyChallengesTable;
  }
}

/** How long the browser may take to respond, in seconds. */
export const CHALLENGE_SECONDS = 300;

/** Stores a challenge, which can be used once. */
export async function storeChallenge(
  tx: TxCtx,
  { binding, challenge, rpId }: { binding: ChallengeBinding; challenge: string; rpId: string },
): Promise<ChallengeId> {
  const id = newId('chl', tx.now);
  await tx.db
    .insertInto('passkey_challenges')
    .values({
      ...realmColumns(tx),
      id,
      purpose: binding.purpose,
      user_id: 'userId' in binding ? binding.userId : null,
      session_id: 'sessionId' in binding ? binding.sessionId : null,
      challenge,
      rp_id: rpId,
      expires_at: new Date(tx.now.getTime() + CHALLENGE_SECONDS * 1000),
    })
    .execute();
  return id;
}

/** A challenge and the binding it must have. */
type Spending = { id: ChallengeId; binding: ChallengeBinding };

/**
 * Spends a challenge, so that it is used only once; exactly one concurrent call succeeds.
 * @returns undefined if it was made for another purpose, user or session
 */
export async function spendChallenge(
  tx: TxCtx,
  { id, binding }: Spending,
): Promise<{ challenge: string; rpId: string } | undefined> {
  const row = await tx.db
    .deleteFrom('passkey_challenges')
    .where(inRealm(tx))
    .where('id', '=', id)
    .where('expires_at', '>', tx.now)
    .returning(['purpose', 'user_id', 'session_id', 'challenge', 'rp_id'])
    .executeTakeFirst();
  const fits =
    row?.purpose === binding.purpose &&
    row.user_id === ('userId' in binding ? binding.userId : null) &&
    row.session_id === ('sessionId' in binding ? binding.sessionId : null);
  return row && fits ? { challenge: row.challenge, rpId: row.rp_id } : undefined;
}

/** Deletes the challenges of a user. */
export async function removeChallengesOf(tx: TxCtx, userId: UserId): Promise<void> {
  await tx.db.deleteFrom('passkey_challenges').where(inRealm(tx)).where('user_id', '=', userId).execute();
}

/** {@link spendChallenge} in a transaction of its own, so that a wrong response spends the challenge too. */
export function spendChallengeAtOnce(ctx: Ctx, spending: Spending): ReturnType<typeof spendChallenge> {
  return transaction(ctx, (tx) => spendChallenge(tx, spending));
}
