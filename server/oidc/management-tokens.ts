import type { AccessToken, ClientCredentials, JWTStructured, KoaContextWithOIDC, ResourceServer } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { grantedApis } from '#apis';
import type { Application } from '#applications';
import { addressesOf } from '#domains';
import { projectOf } from '#environments';
import type { System } from '#platform/system.ts';
import { ctxOf } from './accounts.ts';
import { grantedApi, shortest } from './apis.ts';
import { applicationOf, type IssuerAddress } from './clients.ts';
import { customClaims } from './custom-claims.ts';

/** The API address for an issuer: the project's own, or else the environment's. */
async function apiAddressOf(system: System, { environment, scope }: IssuerAddress): Promise<string> {
  const own = scope ? (await addressesOf(system, scope)).api : [];
  return own[0] ?? system.config.addresses[environment].api;
}

/**
 * The resource of a machine's token request that names none: the API host, or the only API of a client that has no
 * permissions there.
 */
export async function defaultMachineResource(
  system: System,
  issuer: IssuerAddress,
  application: Application,
): Promise<string> {
  const [api, ...others] = application.permissions.length === 0 ? await grantedApis(system, application) : [];
  return api && others.length === 0 ? api.identifier : apiAddressOf(system, issuer);
}

/** The addresses of the API host for an application: the environment's, and those of its own project. */
export async function apiHostsOf(system: System, application: Application): Promise<string[]> {
  const { api } = await addressesOf(system, application);
  return [system.config.addresses[application.environment].api, ...api];
}

/**
 * The resource of a machine's token (`client_credentials`): the API host, for a management token, or an API that the
 * client was granted. The API host comes first, so that no token for an API is a management token.
 * @param resource the resource that the request names (RFC 8707), or the default
 * @throws InvalidTarget, InvalidRequest, InvalidScope
 */
export async function machineResource(
  system: System,
  ctx: KoaContextWithOIDC,
  resource: string,
): Promise<ResourceServer> {
  const { params, body, client } = ctx.oidc;
  if (!params) throw new errors.InvalidRequest('parameters are missing');
  const given = { resource, body: Object(body), scope: params['scope'] };
  const { scope, seconds } = await machineGrant(system, applicationOf(client), given);
  params['scope'] = scope;
  return {
    audience: resource,
    scope,
    accessTokenTTL: seconds,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'ES256' } },
  };
}

/** `resource`: as named, or the default; `scope`: as requested; `body`: the whole request. */
type MachineRequest = { resource: string; scope: unknown; body: Record<string, unknown> };

/**
 * What a machine's token grants, and for how long.
 * @throws InvalidTarget, InvalidRequest, InvalidScope
 */
export async function machineGrant(
  system: System,
  application: Application,
  { resource, scope, body }: MachineRequest,
): Promise<{ scope: string; seconds: number }> {
  if (body['organization'] !== undefined)
    throw new errors.InvalidRequest('an application has no organization of its own: leave organization out');
  const management = (await apiHostsOf(system, application)).includes(resource);
  if (management) checkContext(application, body);
  const api = management ? undefined : await grantedApi(system, application, resource);
  const { settings } = await projectOf(system, application);
  const granted = api ? api.machineScopes.map(({ name }) => name) : application.permissions;
  return {
    scope: requestedOf(scope, granted),
    seconds: shortest(application, api) ?? settings.managementTokenSeconds,
  };
}

/**
 * The requested scope, or everything that was granted.
 * @throws InvalidScope for more than was granted
 */
function requestedOf(requested: unknown, granted: readonly string[]): string {
  const scope = String(requested ?? granted.join(' '));
  const excess = scope.split(' ').find((asked) => asked !== '' && !granted.includes(asked));
  if (excess !== undefined) throw new errors.InvalidScope('the client was not granted this scope', excess);
  return scope;
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

/** The lifetime of a machine's token in seconds, from its resource. */
export function machineTokenSeconds(_ctx: KoaContextWithOIDC, { resourceServer }: ClientCredentials): number {
  if (resourceServer?.accessTokenTTL === undefined)
    throw new errors.InvalidTarget('the token of a machine is for the API host or an API');
  return resourceServer.accessTokenTTL;
}

/** Adds what Latchkey says in a token that the provider issues. */
export async function describeToken(
  system: System,
  token: AccessToken | ClientCredentials,
  { payload }: JWTStructured,
): Promise<void> {
  if (token.kind !== 'ClientCredentials') {
    // The id also names the grant, because nothing is stored of the token.
    payload.jti = `${payload.jti}.${token.grantId}`;
    return;
  }
  const { aud } = payload;
  Object.assign(payload, await machineClaims(system, applicationOf(token.client), { aud, seconds: token.expiration }));
}

/**
 * The claims about the project of a machine; of a management token in the form that lets the API host read it without a
 * database. Dates the token by the server clock: always after the time up to which the client's tokens are invalid.
 */
export async function machineClaims(
  system: System,
  application: Application,
  { aud, seconds }: { aud: unknown; seconds: number },
): Promise<Record<string, unknown> & { iat: number; exp: number }> {
  const { workspaceId, projectId, environment, id, tokensEndedAt } = application;
  const management = (await apiHostsOf(system, application)).includes(String(aud));
  const now = Math.floor(system.clock.now().getTime() / 1000);
  const iat = tokensEndedAt ? Math.max(now, Math.floor(tokensEndedAt.getTime() / 1000) + 1) : now;
  const place = management
    ? { workspaceId, projectId, environment, applicationId: id }
    : { workspace_id: workspaceId, project_id: projectId };
  const custom = await customClaims(
    ctxOf(system, application),
    { application },
    { application, userId: null, organizationId: null },
  );
  return { ...custom, ...place, iat, exp: iat + seconds };
}
