import type { AccessToken, ClientCredentials, JWTStructured, KoaContextWithOIDC, ResourceServer } from 'oidc-provider';
import { errors } from 'oidc-provider';
import type { Application } from '#applications';
import { addressesOf } from '#domains';
import { projectOf } from '#environments';
import type { System } from '#platform/system.ts';
import { applicationOf, type IssuerAddress } from './clients.ts';

/** The API address for an issuer: the project's own, or else the environment's. */
export async function apiAddressOf(system: System, { environment, scope }: IssuerAddress): Promise<string> {
  const own = scope ? (await addressesOf(system, scope)).api : [];
  return own[0] ?? system.config.addresses[environment].api;
}

/**
 * The API host as the resource of a management token. Checks that the request names the client's own project and only
 * granted permissions.
 * @param resource the resource that the request names (RFC 8707), or the API host when it names none
 * @throws InvalidTarget, InvalidRequest, InvalidScope
 */
export async function apiResource(system: System, ctx: KoaContextWithOIDC, resource: string): Promise<ResourceServer> {
  const application = applicationOf(ctx.oidc.client);
  const common = system.config.addresses[application.environment].api;
  const { api } = await addressesOf(system, application);
  const audience = [common, ...api].find((address) => address === resource);
  if (!audience) throw new errors.InvalidTarget(`the resource must be ${[common, ...api].join(' or ')}, or left out`);
  checkContext(application, Object(ctx.oidc.body));
  const { params } = ctx.oidc;
  if (!params) throw new errors.InvalidRequest('parameters are missing');
  params['scope'] ??= application.permissions.join(' ');
  const scope = String(params['scope']);
  const excess = scope.split(' ').find((asked) => !application.permissions.includes(asked));
  if (excess !== undefined) throw new errors.InvalidScope('the client was not granted this permission', excess);
  const { settings } = await projectOf(system, application);
  return {
    audience,
    scope,
    accessTokenTTL: application.accessTokenSeconds ?? settings.managementTokenSeconds,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'ES256' } },
  };
}

/**
 * A client belongs to one project of one environment. The request states both, so that a wrong configuration fails
 * here.
 */
function checkContext(application: Application, body: Record<string, unknown>): void {
  const { workspaceId, projectId, environment } = body;
  if (workspaceId === undefined || projectId === undefined || environment === undefined)
    throw new errors.InvalidRequest('workspaceId, projectId and environment are required');
  const named = environment === 'prod' ? 'production' : environment;
  const own =
    workspaceId === application.workspaceId && projectId === application.projectId && named === application.environment;
  if (!own) throw new errors.InvalidTarget("workspaceId, projectId and environment must be the client's own");
}

/** The lifetime of a management token in seconds, from its resource. */
export function managementTokenSeconds(_ctx: KoaContextWithOIDC, { resourceServer }: ClientCredentials): number {
  if (resourceServer?.accessTokenTTL === undefined)
    throw new errors.InvalidTarget('a management token is for the API host');
  return resourceServer.accessTokenTTL;
}

/**
 * Adds the scope to a management token, so that the API host needs no database to read it. Dates the token by the
 * server clock: always after the time up to which the client's tokens are invalid.
 */
export function describeToken(
  system: System,
  token: AccessToken | ClientCredentials,
  { payload }: JWTStructured,
): void {
  if (token.kind !== 'ClientCredentials') return;
  const { workspaceId, projectId, environment, id, tokensEndedAt } = applicationOf(token.client);
  const now = Math.floor(system.clock.now().getTime() / 1000);
  const iat = tokensEndedAt ? Math.max(now, Math.floor(tokensEndedAt.getTime() / 1000) + 1) : now;
  Object.assign(payload, {
    workspaceId,
    projectId,
    environment,
    applicationId: id,
    iat,
    exp: iat + token.expiration,
  });
}
