import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { type Id, newId, type UserId, type WorkspaceId } from '#platform/ids.ts';

export type ChallengeId = Id<'chl'>;

type PasskeyChallengesTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  id: ChallengeId;
  user_id: UserId | null;
  challenge: string;
  rp_id: string;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    passkey_challenges: PasskeyChallengesTable;
  }
}

/** How long a browser may ask its person. */
export const CHALLENGE_SECONDS = 300;

/** Keeps a challenge until it is answered, once. @param userId whose passkey is made; null where any may answer */
export async function storeChallenge(
  tx: TxCtx,
  { userId, challenge, rpId }: { userId: UserId | null; challenge: string; rpId: string },
): Promise<ChallengeId> {
  const id = newId('chl', tx.now);
  await tx.db
    .insertInto('passkey_challenges')
    .values({
      workspace_id: tx.scope.workspaceId,
      environment: tx.scope.environment,
      id,
      user_id: userId,
      challenge,
      rp_id: rpId,
      expires_at: new Date(tx.now.getTime() + CHALLENGE_SECONDS * 1000),
    })
    .execute();
  return id;
}

/** Takes a challenge, so that it can be answered once; of parallel calls one gets it. */
export async function spendChallenge(
  tx: TxCtx,
  id: ChallengeId,
): Promise<{ userId: UserId | null; challenge: string; rpId: string } | undefined> {
  const row = await tx.db
    .deleteFrom('passkey_challenges')
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('environment', '=', tx.scope.environment)
    .where('id', '=', id)
    .where('expires_at', '>', tx.now)
    .returning(['user_id', 'challenge', 'rp_id'])
    .executeTakeFirst();
  return row && { userId: row.user_id, challenge: row.challenge, rpId: row.rp_id };
}

/** {@link spendChallenge} in a transaction of its own: a wrong answer spends the challenge too. */
export function spendChallengeAtOnce(ctx: Ctx, id: ChallengeId): ReturnType<typeof spendChallenge> {
  return transaction(ctx, (tx) => spendChallenge(tx, id));
}
