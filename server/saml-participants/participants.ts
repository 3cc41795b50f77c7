import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import type { ApplicationId, ProjectId, SessionId, WorkspaceId } from '#platform/ids.ts';
import { hashSecret } from '#platform/keyring.ts';
import type { EndedSessions } from '#platform/part.ts';
import { Problem } from '#platform/problem.ts';
import { acrossProjects, inScope, scopeColumns } from '#platform/scoped.ts';
import type { SystemInTx } from '#platform/system.ts';
import { SamlFault } from '#saml';
import { lockSession } from '#sessions';

type SamlParticipantsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  application_id: ApplicationId;
  session_id: SessionId;
  subject_hash: Buffer;
  /** Our session, as the application knows it. */
  session_index: string;
  /** The person, as the application knows them. */
  sealed: string;
  expires_at: Date;
};

type SamlUsedRequestsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  application_id: ApplicationId;
  request_hash: Buffer;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    saml_participants: SamlParticipantsTable;
    saml_used_requests: SamlUsedRequestsTable;
  }
}

/** An application by SAML that signed a person in with a session, and the names that it got. */
export const Participant = Type.Object({
  clientId: Type.String(),
  nameId: Type.String(),
  nameIdFormat: Type.String(),
  sessionIndex: Type.String(),
});
export type Participant = Static<typeof Participant>;

const SEALED = 'saml-participant';

type Kept = { application: { id: ApplicationId }; sessionId: SessionId; participant: Participant; until: Date };

/**
 * Keeps that an application signs a person in with a session, which must be live and locked. A later sign-in may give
 * another name.
 */
export async function keepParticipant(tx: TxCtx, { application, sessionId, participant, until }: Kept): Promise<void> {
  const names = {
    subject_hash: hashSecret(participant.nameId),
    session_index: participant.sessionIndex,
    sealed: tx.system.keyring.seal(JSON.stringify(participant), SEALED, recordOf(application.id, sessionId)),
    expires_at: until,
  };
  await tx.db
    .insertInto('saml_participants')
    .values({ ...scopeColumns(tx), application_id: application.id, session_id: sessionId, ...names })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'project_id', 'environment', 'application_id', 'session_id'])
        .doUpdateSet(names),
    )
    .execute();
}

function recordOf(applicationId: ApplicationId, sessionId: SessionId): string {
  return `${applicationId} ${sessionId}`;
}

/** Whether an application of any project shares a session. Served by saml_participants_of_session. */
export async function hasParticipants(ctx: Ctx, sessionId: SessionId): Promise<boolean> {
  const row = await ctx.db
    .selectFrom('saml_participants')
    .select('application_id')
    .where(acrossProjects(ctx))
    .where('session_id', '=', sessionId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Takes the applications that share sessions, which are about to end: of several logouts at once, one visits them. Served
 * by saml_participants_of_session.
 * @returns those of every project
 */
export async function takeParticipants(tx: TxCtx, sessionIds: readonly SessionId[]): Promise<Participant[]> {
  if (sessionIds.length === 0) return [];
  // Sessions are locked before what belongs to them.
  for (const sessionId of [...sessionIds].sort()) {
    // biome-ignore lint/performance/noAwaitInLoops: a transaction has one connection
    await lockSession(tx, sessionId).catch(ignoreEnded);
  }
  const rows = await tx.db
    .deleteFrom('saml_participants')
    .where(acrossProjects(tx))
    .where('session_id', 'in', [...sessionIds])
    .returning(['application_id', 'session_id', 'sealed'])
    .execute();
  return rows.map((row) => opened(tx.system, row));
}

function ignoreEnded(error: unknown): void {
  if (!(error instanceof Problem)) throw error;
}

function opened(
  { keyring }: Pick<SystemInTx, 'keyring'>,
  row: Pick<SamlParticipantsTable, 'application_id' | 'session_id' | 'sealed'>,
): Participant {
  const text = keyring.open(row.sealed, SEALED, recordOf(row.application_id, row.session_id));
  return Value.Parse(Participant, JSON.parse(text));
}

/** Forgets who shared sessions that have ended. Served by saml_participants_of_session. */
export async function removeParticipants(tx: TxCtx, { sessionIds, in: where }: EndedSessions): Promise<void> {
  // An application is logged out with the whole session only.
  if (where !== 'every project') return;
  await tx.db
    .deleteFrom('saml_participants')
    .where(acrossProjects(tx))
    .where('session_id', 'in', [...sessionIds])
    .execute();
}

type Named = { nameId: string; sessionIndexes: readonly string[] };

/**
 * The sessions that an application names. A name without sessions means all of the person there (SAML Core §3.7.3.2).
 * Served by saml_participants_of_subject.
 */
export async function sessionsNamed(
  ctx: Ctx | TxCtx,
  { id: applicationId }: { id: ApplicationId },
  { nameId, sessionIndexes }: Named,
): Promise<SessionId[]> {
  const ofPerson = ctx.db
    .selectFrom('saml_participants')
    .select('session_id as sessionId')
    .where(inScope(ctx))
    .where('application_id', '=', applicationId)
    .where('subject_hash', '=', hashSecret(nameId));
  const named = sessionIndexes.length === 0 ? ofPerson : ofPerson.where('session_index', 'in', [...sessionIndexes]);
  const rows = await named.orderBy('session_id').execute();
  return rows.map(({ sessionId }) => sessionId);
}

/**
 * Uses up a request of an application: of concurrent ones with the same ID, exactly one goes on.
 * @throws SamlFault
 */
export async function useUpRequest(
  tx: TxCtx,
  { id: applicationId }: { id: ApplicationId },
  request: { id: string; usableUntil: Date },
): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx.db
    .insertInto('saml_used_requests')
    .values({
      ...scopeColumns(tx),
      application_id: applicationId,
      request_hash: hashSecret(request.id),
      expires_at: request.usableUntil,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n) throw new SamlFault('replay', 'The request was used before.');
}
