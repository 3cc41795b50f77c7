import { sql } from 'kysely';
import { revokeTokens } from '#access-tokens';
import { emitAll } from '#events';
import type { TxCtx } from '#platform/ctx.ts';
import type { SessionId, UserId } from '#platform/ids.ts';
import { inRealm, inScope } from '#platform/scoped.ts';
import { endWithSessions, endWithUser } from './endings.ts';

/**
 * Which sessions of users to end. `begunThrough`: those with one of these sign-in methods alone. `through connections`:
 * those whose people were vouched for by a connection, and proved nothing themselves.
 */
export type SessionChoice =
  | { only: SessionId }
  | { except: SessionId }
  | { begunThrough: readonly string[] }
  | 'through connections'
  | 'all';

/**
 * Ends sessions of users in every project: access and refresh tokens are refused after the commit. Unless it ends only
 * some sessions of a user, it also ends the impersonations of the user.
 * @returns how many sessions were ended
 */
export async function revokeSessions(
  tx: TxCtx,
  whose: UserId | readonly UserId[],
  choice: SessionChoice,
  reason: string,
): Promise<number> {
  const users = [whose].flat();
  if (choice === 'all' || (typeof choice === 'object' && 'except' in choice))
    for (const userId of users) {
      // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
      await endWithUser(tx, { userId, in: 'every project', reason });
    }
  const live = tx.db
    .updateTable('sessions')
    .set({ revoked_at: tx.now, revoke_reason: reason })
    .where(inRealm(tx))
    .where('user_id', '=', sql<UserId>`any(${users})`)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', tx.now);
  const ended = await live.where(chosen(choice)).returning(['id', 'user_id as userId']).execute();
  if (ended.length === 0) return 0;
  const sessionIds = ended.map(({ id }) => id);
  await revokeTokens(tx, sessionIds);
  await endWithSessions(tx, { sessionIds, in: 'every project' });
  await emitAll(
    tx,
    ended.map(({ id, userId }) => ({ type: 'session.revoked', data: { sessionId: id, userId, reason } })),
  );
  return ended.length;
}

function chosen(choice: SessionChoice) {
  if (choice === 'all') return sql<boolean>`true`;
  // Every method begins with `con_`: "`" follows "_" in ASCII. A divided installation could not tell the server of the rows if
  // this were a subquery or a function that is not immutable.
  if (choice === 'through connections')
    return sql<boolean>`sign_in_methods <> '{}' and 'con_' ~<=~ all(sign_in_methods) and 'con\`' ~>~ all(sign_in_methods)`;
  if ('begunThrough' in choice)
    return sql<boolean>`cardinality(sign_in_methods) = 1 and sign_in_methods[1] = any(${choice.begunThrough})`;
  return 'only' in choice ? sql<boolean>`id = ${choice.only}` : sql<boolean>`id != ${choice.except}`;
}

type Whose = { userId: UserId } | { sessionId: SessionId };

/**
 * Ends the scope entries of a user or of a session in `tx.scope`'s project; other projects are not affected. Ending the
 * entries of a user also ends the impersonations of the user there.
 * @returns how many entries were ended
 */
export async function revokeEntries(tx: TxCtx, whose: Whose, reason: string): Promise<number> {
  const { projectId } = tx.scope;
  if ('userId' in whose) await endWithUser(tx, { userId: whose.userId, in: projectId, reason });
  const update = tx.db
    .updateTable('scope_entries')
    .set({ revoked_at: tx.now, revoke_reason: reason })
    .where(inScope(tx))
    .where('revoked_at', 'is', null);
  const chosen =
    'userId' in whose ? update.where('user_id', '=', whose.userId) : update.where('session_id', '=', whose.sessionId);
  const ended = await chosen.returning(['id', 'session_id', 'user_id']).execute();
  await revokeTokens(
    tx,
    ended.map(({ id }) => id),
  );
  if (ended.length > 0) {
    await endWithSessions(tx, { sessionIds: ended.map((entry) => entry.session_id), in: projectId });
    await emitAll(
      tx,
      ended.map(({ id, session_id, user_id }) => ({
        type: 'session.entry.revoked',
        data: { entryId: id, sessionId: session_id, userId: user_id, reason },
      })),
    );
  }
  return ended.length;
}

/**
 * Ends every session of the installation, with its entries and refresh tokens. Access tokens stay valid until they
 * expire, unless their signing key is retired.
 * @returns how many sessions were ended
 */
export async function endEverySession(tx: TxCtx): Promise<number> {
  const { numAffectedRows } = await sql`update sessions set revoked_at = ${tx.now}, revoke_reason = 'ended_by_operator'
    where revoked_at is null and expires_at > ${tx.now} /* all workspaces */`.execute(tx.db);
  await sql`update scope_entries set revoked_at = ${tx.now}, revoke_reason = 'ended_by_operator'
    where revoked_at is null /* all workspaces */`.execute(tx.db);
  await sql`delete from refresh_tokens /* all workspaces */`.execute(tx.db);
  return Number(numAffectedRows ?? 0n);
}
