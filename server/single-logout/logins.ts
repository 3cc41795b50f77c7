import { type Generated, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type ConnectionId, enabledConnection, type UsableConnection } from '#connections';
import { projectOf } from '#environments';
import { emit } from '#events';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import { type Id, newId, type ProjectId, type SessionId, type WorkspaceId } from '#platform/ids.ts';
import { hashSecret } from '#platform/keyring.ts';
import type { EndedSessions } from '#platform/part.ts';
import { Problem, problem } from '#platform/problem.ts';
import { nullable } from '#platform/schemas.ts';
import { acrossProjects, inScope, scopeColumns } from '#platform/scoped.ts';
import type { NameId } from '#saml';
import { findSession, revokeSessions } from '#sessions';
import { sessionLifetimes } from '#settings';

export type SamlLoginId = Id<'sli'>;

type SamlLoginsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: SamlLoginId;
  connection_id: ConnectionId;
  subject_hash: Buffer;
  /** The session at the identity provider. */
  session_index: string | null;
  /** The person as the identity provider names them. */
  sealed: string;
  /** Our session; null until it starts. */
  session_id: Generated<SessionId | null>;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    saml_logins: SamlLoginsTable;
  }
}

const SEALED = 'saml-login';
const text = nullable(Type.String());
const Person = Type.Object({ nameId: Type.String(), nameIdFormat: text, nameQualifier: text, spNameQualifier: text });
const DAY_MS = 86_400_000;

/** The session at the identity provider that an assertion is of. */
export type SamlSession = NameId & { sessionIndex: string | null };

/** Keeps which session at the identity provider a sign-in belongs to, before our session starts. */
export async function keepLogin(
  tx: TxCtx,
  { id: connectionId }: Pick<UsableConnection, 'id'>,
  { sessionIndex, ...session }: SamlSession,
): Promise<SamlLoginId> {
  const { settings } = await projectOf(tx.system, tx.scope);
  const id = newId('sli', tx.now);
  const { nameId, nameIdFormat, nameQualifier, spNameQualifier } = session;
  const person: Static<typeof Person> = { nameId, nameIdFormat, nameQualifier, spNameQualifier };
  await tx.db
    .insertInto('saml_logins')
    .values({
      ...scopeColumns(tx),
      id,
      connection_id: connectionId,
      subject_hash: hashSecret(nameId),
      session_index: sessionIndex,
      sealed: tx.system.keyring.seal(JSON.stringify(person), SEALED, id),
      expires_at: new Date(tx.now.getTime() + sessionLifetimes(settings).absolute * 1000 + DAY_MS),
    })
    .execute();
  return id;
}

/**
 * Notes the session that a sign-in started.
 * @throws Problem INVALID_TOKEN if the person logged out at the identity provider in the meantime
 */
export async function bindLogin(tx: TxCtx, id: SamlLoginId, sessionId: SessionId): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('saml_logins')
    .set({ session_id: sessionId })
    .where(inScope(tx))
    .where('id', '=', id)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw problem('INVALID_TOKEN');
}

/** Removes the logins of our sessions that have ended. Served by saml_logins_of_session. */
export async function removeLogins(tx: TxCtx, { sessionIds, in: where }: EndedSessions): Promise<void> {
  if (where !== 'every project') return;
  await tx.db
    .deleteFrom('saml_logins')
    .where(acrossProjects(tx))
    .where('session_id', 'in', [...sessionIds])
    .execute();
}

/**
 * Ends the sessions that began through a connection with the sessions that an identity provider names, and refuses those
 * that are about to start. Served by saml_logins_of_subject.
 * @returns how many sessions ended
 */
export async function endLogins(
  tx: TxCtx,
  { id: connectionId }: Pick<UsableConnection, 'id'>,
  { nameId, sessionIndexes }: { nameId: string; sessionIndexes: readonly string[] },
): Promise<number> {
  let ended = 0;
  for (;;) {
    const named = tx.db
      .deleteFrom('saml_logins')
      .where(inScope(tx))
      .where('connection_id', '=', connectionId)
      .where('subject_hash', '=', hashSecret(nameId))
      .where(isNamed(sessionIndexes));
    // biome-ignore lint/performance/noAwaitInLoops: a session may start while others end
    await named.where('session_id', 'is', null).execute();
    const bound = await tx.db
      .selectFrom('saml_logins')
      .select('session_id as sessionId')
      .where(inScope(tx))
      .where('connection_id', '=', connectionId)
      .where('subject_hash', '=', hashSecret(nameId))
      .where('session_id', 'is not', null)
      .where(isNamed(sessionIndexes))
      .limit(1)
      .executeTakeFirst();
    if (!bound?.sessionId) return ended;
    ended += await endSession(tx, bound.sessionId);
    await named.where('session_id', '=', bound.sessionId).execute();
  }
}

/** A login without a session index may be of any session. A request without an index means all (SAML Core §3.7.3.2). */
function isNamed(sessionIndexes: readonly string[]) {
  if (sessionIndexes.length === 0) return sql<boolean>`true`;
  return sql<boolean>`(session_index is null or session_index = any(${[...sessionIndexes]}))`;
}

async function endSession(tx: TxCtx, sessionId: SessionId): Promise<number> {
  const session = await findSession(tx, sessionId);
  if (!session) return 0;
  const { userId } = session;
  const ended = await revokeSessions(tx, userId, { only: sessionId }, 'identity_provider_logout');
  await emit(tx, 'user.logout', { userId, everywhere: false });
  return ended;
}

/** The session at the identity provider behind one of ours. */
export type Login = { ctx: Ctx; connection: UsableConnection; session: SamlSession };

/**
 * The session at the identity provider that one of ours began with, if its connection is enabled. Served by
 * saml_logins_of_session.
 */
export async function loginOf(ctx: Ctx, sessionId: SessionId): Promise<Login | null> {
  const row = await ctx.db
    .selectFrom('saml_logins')
    .select(['id', 'connection_id', 'session_index', 'sealed'])
    .where(inScope(ctx))
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  if (!row) return null;
  const connection = await enabledConnection(ctx, row.connection_id).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'NOT_FOUND') return null;
    throw error;
  });
  if (!connection) return null;
  const person = Value.Parse(Person, JSON.parse(ctx.system.keyring.open(row.sealed, SEALED, row.id)));
  return { ctx, connection, session: { ...person, sessionIndex: row.session_index } };
}
