import { sql } from 'kysely';
import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import { type Application, isFirstParty } from '#applications';
import { emitAll } from '#events';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { OrganizationId, ProjectId, SessionId, UserId } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { ctxOf } from './accounts.ts';
import { admittedUnder, decisionOn, enterProjectOf, organizationEntered } from './admission.ts';
import { requestedScopes } from './apis.ts';
import type { Bound } from './bound-sessions.ts';
import { applicationOf } from './clients.ts';
import { consentTo, removeConsent } from './consents.ts';
import { endGrants, type GrantRef } from './grant-endings.ts';
import { askOfflineAccess, withoutOfflineAccess } from './offline-access.ts';
import { grantIn } from './organizations.ts';
import { type Place, placesOf } from './routed-ids.ts';

/**
 * The grant for an authorization request. It is the one that the browser's session has with the client, for the
 * organization that it enters if there is one. The request extends it where no consent is needed: for first-party
 * applications, and for scopes and claims that the user consented to before.
 * @returns undefined when the user must be asked
 */
export async function grantFor(system: System, ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, session, account, result, provider } = ctx.oidc;
  askOfflineAccess(ctx);
  if (!client || !session || !account) return undefined;
  bindSession(ctx);
  const grantId = result?.consent?.grantId ?? session.grantIdFor(client.clientId);
  const last = grantId ? await provider.Grant.find(grantId) : undefined;
  const application = applicationOf(client);
  const there = ctxOf(system, application);
  const organizationId = await organizationEntered(system, ctx);
  const current = organizationId === undefined ? undefined : await currentGrant(there, ctx, { last, organizationId });
  const decision = await decisionOn(system, ctx, current);
  // The user has to sign in again (see prompts.ts). The current grant does not change.
  if (decision.kind !== 'admitted') return current;
  const scopes = await requestedScopes(system, ctx, { application, account });
  const allowed = await isAllowed(system, ctx, scopes);
  const under = await admittedUnder(system, application, decision);
  if (current && allowed && covers(ctx, current)) return noted(current, under);
  if (!allowed || !mayWiden(ctx)) return allowed ? current : undefined;
  await enterProjectOf(system, application, session);
  const grant = current ?? new provider.Grant({ accountId: account.accountId, clientId: client.clientId });
  Object.assign(grant, boundOf(session), under, { projectId: application.projectId });
  if (organizationId) grant.organizationId = organizationId;
  grant.addOIDCScope(ctx.oidc.requestParamOIDCScopes);
  grant.addOIDCClaims(ctx.oidc.requestParamClaims);
  for (const [resource, scopes] of resourceScopes(ctx)) grant.addResourceScope(resource, scopes);
  await grant.save();
  return grant;
}

/** The user's grant with the client for the organization, or for none; the session names only the last one. */
async function currentGrant(
  there: Ctx,
  ctx: KoaContextWithOIDC,
  { last, organizationId }: { last: Grant | undefined; organizationId: OrganizationId | null },
): Promise<Grant | undefined> {
  const isThere = last?.organizationId === (organizationId ?? undefined);
  const grant = last && !isThere ? await grantIn(there, ctx, organizationId) : last;
  return grant?.accountId === ctx.oidc.account?.accountId ? grant : undefined;
}

async function noted(grant: Grant, under: Bound): Promise<Grant> {
  if (grant.admittedUnder === under.admittedUnder && grant.onDevice === under.onDevice) return grant;
  await Object.assign(grant, under).save();
  return grant;
}

/** Binds the session that a sign-in just proved to the browser's session. */
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

/** The requested OAuth scopes of each resource, limited to the existing ones. */
function resourceScopes({ oidc }: KoaContextWithOIDC): [resource: string, scopes: string[]][] {
  return Object.entries(oidc.resourceServers ?? {}).map(([resource, { scopes }]) => [
    resource,
    [...oidc.requestParamScopes].filter((scope) => scopes.has(scope)),
  ]);
}

function covers(ctx: KoaContextWithOIDC, grant: Grant): boolean {
  const { oidc } = ctx;
  const scopes = grant.getOIDCScopeEncountered().split(' ');
  const claims = grant.getOIDCClaimsEncountered();
  return (
    [...oidc.requestParamOIDCScopes].every((scope) => scopes.includes(scope)) &&
    [...oidc.requestParamClaims].every((claim) => claims.includes(claim)) &&
    resourceScopes(ctx).every(([resource, asked]) => {
      const granted = grant.getResourceScopeEncountered(resource).split(' ');
      return asked.every((scope) => granted.includes(scope));
    })
  );
}

/** False when the client requests the consent page: the grant waits for its result. */
function mayWiden({ oidc }: KoaContextWithOIDC): boolean {
  return !oidc.prompts?.has('consent') || Boolean(oidc.result?.consent);
}

/**
 * First-party applications need no consent. Others need one that covers the request, even if they were first-party
 * before.
 */
async function isAllowed(
  system: System,
  { oidc }: KoaContextWithOIDC,
  apiScopes: readonly { id: string }[],
): Promise<boolean> {
  const application = applicationOf(oidc.client);
  if (isFirstParty(application)) return true;
  if (!oidc.account) return false;
  const allowed = await consentTo(ctxOf(system, application), oidc.account.accountId, application.id);
  const requested = [...withoutOfflineAccess(oidc.requestParamOIDCScopes), ...apiScopes.map(({ id }) => id)];
  return requested.every((scope) => allowed.includes(scope));
}

/**
 * The clients that use a session, oldest first: of any project, or of one. Without those through which its user acts as
 * somebody else, which have no access to the user. Served by oidc_records_of_session.
 */
export async function clientsOfSessions(
  ctx: Pick<Ctx, 'db' | 'scope' | 'system'>,
  sessionIds: readonly SessionId[],
  projectId?: ProjectId,
): Promise<Map<SessionId, string[]>> {
  let found = ctx.db
    .selectFrom('oidc_records')
    .select(['session_id', sql<string>`payload->>'clientId'`.as('clientId')])
    .where('workspace_id', '=', sql<Place>`any(${placesOf(ctx)})`)
    .where('session_id', '=', sql<SessionId>`any(${[...sessionIds]})`)
    .where('model', '=', 'Grant')
    .where(sql<boolean>`not payload ? 'impersonation'`)
    .orderBy('id');
  if (projectId !== undefined) found = found.where('project_id', '=', projectId);
  const rows = await found.execute();
  const clients = new Map<SessionId, string[]>();
  for (const { session_id: sessionId, clientId } of rows) {
    if (sessionId !== null) clients.set(sessionId, [...new Set([...(clients.get(sessionId) ?? []), clientId])]);
  }
  return clients;
}

/**
 * Revokes an application's access to a user: its consent, grants and tokens.
 * @returns false when it had none
 */
export async function revokeConsent(tx: TxCtx, userId: UserId, application: Application): Promise<boolean> {
  const allowed = await removeConsent(tx, userId, application.id);
  const { rows } = await sql<GrantRef>`
    select workspace_id, issuer, id from oidc_records
    where workspace_id = any(${placesOf(tx)}) and model = 'Grant' and project_id = ${application.projectId}
      and payload->>'accountId' = ${userId} and payload->>'clientId' = ${application.clientId}`.execute(tx.db);
  await endGrants(tx, rows, 'consent_revoked');
  if (!allowed && rows.length === 0) return false;
  // The user may be at another project of the workspace.
  const data = { userId, applicationId: application.id };
  await emitAll(tx, [{ type: 'user.consent.revoked', data, projectId: application.projectId }]);
  return true;
}
