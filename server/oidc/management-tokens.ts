import type { KoaContextWithOIDC, ResourceServer } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { findApplication } from '#applications';
import type { Environment } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';

/** Seconds. */
export const MANAGEMENT_TOKEN_SECONDS = 3_600;

/**
 * The API host as the resource a management token is for, after checking that the request names the client's own project and
 * asks for no more than the client was granted.
 * @throws InvalidTarget, InvalidRequest, InvalidScope
 */
export async function apiResource(system: System, environment: Environment, ctx: KoaContextWithOIDC): Promise<ResourceServer> {
  const application = await findApplication(system, environment, ctx.oidc.client?.clientId ?? '');
  if (!application) throw new errors.InvalidClient('client not found');
  const { workspaceId, projectId, environment: named } = Object(ctx.oidc.body);
  if (workspaceId === undefined || projectId === undefined || named === undefined) throw new errors.InvalidRequest('workspaceId, projectId and environment are required');
  const own = application.environment === (named === 'prod' ? 'production' : named);
  if (workspaceId !== application.workspaceId || projectId !== application.projectId || !own) throw new errors.InvalidTarget("workspaceId, projectId and environment must be the client's own");
  const { params } = ctx.oidc;
  if (!params) throw new errors.InvalidRequest('parameters are missing');
  params['scope'] ??= application.permissions.join(' ');
  const excess = String(params['scope']).split(' ').find((scope) => !application.permissions.includes(scope));
  if (excess !== undefined) throw new errors.InvalidScope('the client was not granted this permission', excess);
  return {
    audience: system.config.addresses[environment].api,
    scope: application.permissions.join(' '),
    accessTokenTTL: MANAGEMENT_TOKEN_SECONDS,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'ES256' } },
  };
}

/** Where the token is valid, for the API host to read without asking the database. */
export async function scopeClaims(system: System, environment: Environment, clientId: string): Promise<Record<string, string>> {
  const application = await findApplication(system, environment, clientId);
  if (!application) throw new errors.InvalidClient('client not found');
  return { workspaceId: application.workspaceId, projectId: application.projectId, environment, applicationId: application.id };
}
