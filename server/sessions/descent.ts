import { sql } from 'kysely';
import { revokeTokens } from '#access-tokens';
import { emitAll } from '#events';
import type { Descent, TxCtx } from '#platform/ctx.ts';
import type { ApplicationId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { acrossProjects } from '#platform/scoped.ts';

/**
 * The grant or application through which the actor's token was obtained; whatever is created with the token has the
 * same descent. Served by the primary key.
 * @returns null for a session that the person signed in to, and where no user's token is used
 * @throws Problem SESSION_REVOKED when the token's entry has ended meanwhile
 */
export async function descentOf(tx: TxCtx): Promise<Descent | null> {
  const { actor, scope, db } = tx;
  if (actor.kind !== 'customer') return null;
  if (actor.descent) return actor.descent;
  const entry = await db
    .selectFrom('scope_entries')
    .select(['application_id as applicationId', 'grant_id as grantId', 'revoked_at'])
    .where(acrossProjects({ scope }))
    .where('id', '=', actor.entryId)
    .executeTakeFirst();
  if (!entry || entry.revoked_at) throw problem('SESSION_REVOKED');
  const { applicationId, grantId } = entry;
  return applicationId !== null && grantId !== null ? { applicationId, grantId } : null;
}

type Through = { grantIds: readonly string[] } | { applicationId: ApplicationId };

/**
 * Ends what was obtained through grants, or by an application, in every project: access tokens through the feed of
 * revocations, refresh tokens with their entries. The sessions themselves go on. Served by scope_entries_of_grant and
 * scope_entries_of_application.
 */
export async function endDescended(tx: TxCtx, through: Through, reason: string): Promise<void> {
  const update = tx.db
    .updateTable('scope_entries')
    .set({ revoked_at: tx.now, revoke_reason: reason })
    .where(acrossProjects(tx))
    .where('revoked_at', 'is', null);
  const chosen =
    'applicationId' in through
      ? update.where('application_id', '=', through.applicationId)
      : update.where('grant_id', '=', sql<string>`any(${[...through.grantIds]})`);
  const ended = await chosen.returning(['id', 'session_id', 'user_id', 'project_id']).execute();
  await revokeTokens(
    tx,
    ended.map(({ id }) => id),
  );
  if (ended.length === 0) return;
  await emitAll(
    tx,
    ended.map(({ id, session_id: sessionId, user_id: userId, project_id: projectId }) => ({
      projectId,
      type: 'session.entry.revoked',
      data: { entryId: id, sessionId, userId, reason },
    })),
  );
}
