import { sql } from 'kysely';
import { errors, type Grant, type KoaContextWithOIDC } from 'oidc-provider';
import { findOrganizationId } from '#organizations';
import { type Ctx, systemCtx, type TxCtx } from '#platform/ctx.ts';
import type { OrganizationId } from '#platform/ids.ts';
import type { OrganizationSessions } from '#platform/part.ts';
import type { Standing } from '#platform/standing.ts';
import type { System } from '#platform/system.ts';
import type { IssuerAddress } from './clients.ts';
import { endGrants, type GrantRef, listed } from './grant-endings.ts';
import { placesOf } from './routed-ids.ts';

/** An id or a slug. */
const NAME = /^[a-z0-9_-]{2,63}$/;

/**
 * Checks the parameter `organization` of an authorization request. The address of an organization adds it, and accepts no
 * other.
 */
export async function checkOrganization(
  system: System,
  { scope, organizationId }: IssuerAddress,
  { ctx, named }: { ctx: KoaContextWithOIDC; named: unknown },
): Promise<void> {
  if (named !== undefined && (typeof named !== 'string' || !NAME.test(named)))
    throw new errors.InvalidRequest('organization must be the id or the slug of an organization');
  if (!scope || organizationId === null) return;
  const own = systemCtx(system, scope, 'oidc', 'oidc');
  if (named !== undefined && (await findOrganizationId(own, named)) !== organizationId)
    throw new errors.InvalidRequest('this address signs people in for another organization');
  if (ctx.oidc.params) ctx.oidc.params['organization'] = organizationId;
}

/**
 * The organization that an authorization request names.
 * @returns null if it names none; undefined if the project has no such organization
 */
export async function organizationAsked(
  ctx: Ctx,
  params: Readonly<Record<string, unknown>> | undefined,
): Promise<OrganizationId | null | undefined> {
  const named = params?.['organization'];
  return typeof named === 'string' ? findOrganizationId(ctx, named) : null;
}

/** The claims about the organization of a grant; without `org_slug` if it has no slug. */
export function organizationClaims({ id, name, slug, roles, permissions }: Standing) {
  return {
    org_id: id,
    org_name: name,
    ...(slug !== null && { org_slug: slug }),
    org_roles: roles,
    org_permissions: permissions,
  };
}

/**
 * The grant that the browser's session has with the client for an organization, or for none if that is null. Served by
 * oidc_records_of_session.
 */
export async function grantIn(
  ctx: Ctx,
  {
    oidc: { client, session, provider },
  }: { oidc: Pick<KoaContextWithOIDC['oidc'], 'client' | 'session' | 'provider'> },
  organizationId: OrganizationId | null,
): Promise<Grant | undefined> {
  if (!client || !session?.sessionId) return undefined;
  const { rows } = await sql<{ id: string }>`select id from oidc_records
    where workspace_id = any(${placesOf(ctx)}) and session_id = ${session.sessionId} and model = 'Grant' and grant_id is null
      and payload->>'clientId' = ${client.clientId} and payload->>'organizationId' is not distinct from ${organizationId}
      and not payload ? 'impersonation'
    limit 1`.execute(ctx.db);
  return rows[0] && provider.Grant.find(rows[0].id);
}

/**
 * Ends the grants of people in an organization, or only their access tokens. In the second case the next refresh decides
 * again, and its tokens have the new claims. Served by oidc_records_of_organization.
 */
export async function changeGrantsIn(
  tx: TxCtx,
  { organizationId, userId, action, reason }: OrganizationSessions,
): Promise<void> {
  const { rows } = await sql<GrantRef>`select workspace_id, issuer, id from oidc_records
    where workspace_id = any(${placesOf(tx)}) and model = 'Grant' and payload ? 'organizationId' and payload->>'organizationId' = ${organizationId}
      and project_id = ${tx.scope.projectId} and (${userId ?? null}::text is null or payload->>'accountId' = ${userId ?? null})`.execute(
    tx.db,
  );
  if (action === 'end') await endGrants(tx, rows, reason);
  else await endAccessTokens(tx, rows);
}

/** JWT access tokens are not stored, so introspection compares their time of issue with `tokensFrom`. */
async function endAccessTokens(tx: TxCtx, grants: readonly GrantRef[]): Promise<void> {
  const tokensFrom = Math.floor(tx.now.getTime() / 1000) + 1;
  const places = sql`workspace_id = any(${placesOf(tx)})`;
  await sql`delete from oidc_records
    where ${places} and model = 'AccessToken' and (issuer, grant_id) in (${listed(grants)})`.execute(tx.db);
  await sql`update oidc_records set payload = payload || ${JSON.stringify({ tokensFrom })}::jsonb
    where ${places} and model = 'Grant' and (issuer, id) in (${listed(grants)})`.execute(tx.db);
}
