import { sql } from 'kysely';
import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import { type Application, isFirstParty } from '#applications';
import { emit } from '#events';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import type { ApplicationId, ProjectId, SessionId, UserId, WorkspaceId } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { enterProject, liveEntry } from '#sessions';
import { ctxOf } from './accounts.ts';
import type { Bound } from './bound-sessions.ts';
import { applicationOf } from './clients.ts';

type ConsentsTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  user_id: UserId;
  application_id: ApplicationId;
  scopes: string[];
  granted_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    consents: ConsentsTable;
  }
}

/**
 * The grant an authorization request may use: the one the browser's session has with the client, widened to what is asked where
 * nobody needs to be asked: for our own applications, and for what the person allowed before.
 * @returns undefined where the person must be asked
 */
export async function grantFor(system: System, ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, session, account, result, provider, params } = ctx.oidc;
  if (!client || !session || !account) return undefined;
  bindSession(ctx);
  const grantId = result?.consent?.grantId ?? session.grantIdFor(client.clientId);
  const known = grantId ? await provider.Grant.find(grantId) : undefined;
  const current = known?.accountId === account.accountId ? known : undefined;
  if (current && covers(ctx, current)) return current;
  const application = applicationOf(client);
  if (!(await mayWiden(system, ctx, application))) return current;
  await enterProjectOf(system, application, session);
  const grant = current ?? new provider.Grant({ accountId: account.accountId, clientId: client.clientId });
  Object.assign(grant, boundOf(session), { projectId: application.projectId });
  grant.addOIDCScope(String(params?.['scope'] ?? ''));
  grant.addOIDCClaims(ctx.oidc.requestParamClaims);
  for (const [resource, server] of Object.entries(ctx.oidc.resourceServers ?? {}))
    grant.addResourceScope(resource, server.scope);
  await grant.save();
  return grant;
}

/** Signed in for one project, the person enters another with the same session. */
async function enterProjectOf(
  system: System,
  application: Application,
  { sessionId, projectId }: Bound,
): Promise<void> {
  if (!sessionId || !projectId || projectId === application.projectId) return;
  await transaction(ctxOf(system, application), async (tx) => {
    if (!(await liveEntry(tx, sessionId))) await enterProject(tx, sessionId, projectId);
  });
}

/** What a sign-in just proved stands behind the browser's session from now on. */
function bindSession({ oidc: { session, result } }: KoaContextWithOIDC): void {
  const bound = Object(result?.login);
  if (session && typeof bound.sessionId === 'string') Object.assign(session, boundOf(bound));
}

function boundOf({ sessionId, endsAt, workspaceId, projectId }: Bound): Bound {
  return {
    ...(sessionId && { sessionId }),
    ...(endsAt && { endsAt }),
    ...(workspaceId && { workspaceId }),
    ...(projectId && { projectId }),
  };
}

function covers({ oidc }: KoaContextWithOIDC, grant: Grant): boolean {
  const scopes = grant.getOIDCScopeEncountered().split(' ');
  const claims = grant.getOIDCClaimsEncountered();
  return (
    [...oidc.requestParamOIDCScopes].every((scope) => scopes.includes(scope)) &&
    [...oidc.requestParamClaims].every((claim) => claims.includes(claim)) &&
    Object.keys(oidc.resourceServers ?? {}).every((resource) => grant.resources?.[resource] !== undefined)
  );
}

/** Our own applications need no consent, unless they ask for the question; others need one that covers the request. */
async function mayWiden(system: System, { oidc }: KoaContextWithOIDC, application: Application): Promise<boolean> {
  if (oidc.prompts?.has('consent') && !oidc.result?.consent) return false;
  if (isFirstParty(application)) return true;
  if (!oidc.account) return false;
  const allowed = await consentTo(ctxOf(system, application), oidc.account.accountId, application.id);
  return [...oidc.requestParamScopes].every((scope) => allowed.includes(scope));
}

/** Served by the primary key. */
async function consentTo(ctx: Ctx, userId: string, applicationId: ApplicationId): Promise<string[]> {
  const row = await ctx.db
    .selectFrom('consents')
    .select('scopes')
    .where('workspace_id', '=', ctx.scope.workspaceId)
    .where('environment', '=', ctx.scope.environment)
    .where('user_id', '=', sql<UserId>`${userId}`)
    .where('application_id', '=', applicationId)
    .executeTakeFirst();
  return row?.scopes ?? [];
}

/** Writes down what a person allows an application; with what was allowed before. */
export async function giveConsent(
  ctx: Ctx,
  userId: UserId,
  consent: { applicationId: ApplicationId; scopes: string[] },
) {
  const { applicationId, scopes } = consent;
  await transaction(ctx, async (tx) => {
    await tx.db
      .insertInto('consents')
      .values({
        workspace_id: tx.scope.workspaceId,
        environment: tx.scope.environment,
        user_id: userId,
        application_id: applicationId,
        scopes,
        granted_at: tx.now,
      })
      .onConflict((conflict) =>
        conflict.columns(['workspace_id', 'environment', 'user_id', 'application_id']).doUpdateSet({
          scopes: sql`array(select distinct unnest(consents.scopes || excluded.scopes))`,
          granted_at: tx.now,
        }),
      )
      .execute();
    await emit(tx, 'user.consent.granted', { userId, applicationId, scopes });
  });
}

/** The clients that use a session of ours, oldest first: of any project, or of one. Served by oidc_records_of_session. */
export async function clientsOfSessions(
  ctx: Pick<Ctx, 'db'>,
  sessionIds: readonly SessionId[],
  projectId?: ProjectId,
): Promise<Map<SessionId, string[]>> {
  let found = ctx.db
    .selectFrom('oidc_records')
    .select(['session_id', sql<string>`payload->>'clientId'`.as('clientId')])
    .where('session_id', '=', sql<SessionId>`any(${[...sessionIds]})`)
    .where('model', '=', 'Grant')
    .orderBy('id');
  if (projectId !== undefined) found = found.where('project_id', '=', projectId);
  const rows = await found.execute();
  const clients = new Map<SessionId, string[]>();
  for (const { session_id: sessionId, clientId } of rows) {
    if (sessionId !== null) clients.set(sessionId, [...new Set([...(clients.get(sessionId) ?? []), clientId])]);
  }
  return clients;
}

/** Takes an application's access to a person back: its consent, grants and tokens. @returns false when it had none */
export async function revokeConsent(tx: TxCtx, userId: UserId, application: Application): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('consents')
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('environment', '=', tx.scope.environment)
    .where('user_id', '=', userId)
    .where('application_id', '=', application.id)
    .executeTakeFirst();
  const { rows } = await sql<{ issuer: string; id: string }>`
    delete from oidc_records where model = 'Grant' and project_id = ${application.projectId}
      and payload->>'accountId' = ${userId} and payload->>'clientId' = ${application.clientId}
    returning issuer, id`.execute(tx.db);
  await sql`delete from oidc_records where (issuer, grant_id) in (
    select * from unnest(${rows.map(({ issuer }) => issuer)}::text[], ${rows.map(({ id }) => id)}::text[]))`.execute(
    tx.db,
  );
  if (numDeletedRows === 0n && rows.length === 0) return false;
  await emit(tx, 'user.consent.revoked', { userId, applicationId: application.id });
  return true;
}

/** What a person allows applications. Served by the primary key. */
export async function consentsOf(ctx: Pick<Ctx, 'db' | 'scope'>, userId: UserId) {
  const rows = await ctx.db
    .selectFrom('consents')
    .select(['application_id as applicationId', 'scopes', 'granted_at as grantedAt'])
    .where('workspace_id', '=', ctx.scope.workspaceId)
    .where('environment', '=', ctx.scope.environment)
    .where('user_id', '=', userId)
    .execute();
  return rows.map(({ grantedAt, ...row }) => ({ ...row, grantedAt: grantedAt.toISOString() }));
}
