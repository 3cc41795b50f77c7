import type { Account, KoaContextWithOIDC, ResourceServer } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { grantedApis, type ScopeText, scopeTexts } from '#apis';
import { type Application, isFirstParty } from '#applications';
import { accessOf } from '#members';
import type { UserId } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { CLAIMS, ctxOf, isAccess } from './accounts.ts';
import { applicationOf } from './clients.ts';
import { consentTo } from './consents.ts';

type GrantedApi = Awaited<ReturnType<typeof grantedApis>>[number];

/**
 * The API that an application names as the resource of a token.
 * @throws InvalidTarget if it was not granted the API, or there is none
 */
export async function grantedApi(system: System, application: Application, resource: string): Promise<GrantedApi> {
  const api = (await grantedApis(system, application)).find(({ identifier }) => identifier === resource);
  if (!api) throw new errors.InvalidTarget('the application may not ask for tokens for this resource');
  return api;
}

/** The shorter lifetime of those that the application and the API name, in seconds. */
export function shortest(
  { accessTokenSeconds: ofApplication }: Pick<Application, 'accessTokenSeconds'>,
  api: Pick<GrantedApi, 'accessTokenSeconds'> | undefined,
): number | null {
  const ofApi = api?.accessTokenSeconds ?? null;
  return ofApplication === null || ofApi === null ? (ofApplication ?? ofApi) : Math.min(ofApplication, ofApi);
}

/**
 * The granted scopes of an API that a person can give to the application: where the API requires permissions, only
 * those that are named like a permission of the person.
 */
function scopesFor({ scopes, requirePermissions }: GrantedApi, permissions: readonly string[]): GrantedApi['scopes'] {
  return requirePermissions ? scopes.filter(({ name }) => permissions.includes(name)) : scopes;
}

/**
 * An API as the resource server of people's tokens (RFC 8707). Its scopes are those that the application was granted;
 * once the person is known, only what this person can give, and has given to a third-party application.
 * @throws InvalidTarget
 */
export async function apiServer(system: System, ctx: KoaContextWithOIDC, resource: string): Promise<ResourceServer> {
  const application = applicationOf(ctx.oidc.client);
  const api = await grantedApi(system, application, resource);
  const { account } = ctx.oidc;
  const scopes = account ? await givenScopes(system, application, { api, account }) : api.scopes;
  const seconds = shortest(application, api);
  return {
    audience: resource,
    scope: [...Object.keys(CLAIMS), ...scopes.map(({ name }) => name)].join(' '),
    ...(seconds !== null && { accessTokenTTL: seconds }),
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'ES256' } },
  };
}

async function givenScopes(
  system: System,
  application: Application,
  { api, account }: { api: GrantedApi; account: Account },
): Promise<GrantedApi['scopes']> {
  const scopes = scopesFor(api, permissionsIn(account));
  if (scopes.length === 0 || isFirstParty(application)) return scopes;
  const allowed = await consentTo(ctxOf(system, application), account.accountId, application.id);
  return scopes.filter(({ id }) => allowed.includes(id));
}

function permissionsIn(account: Account): readonly string[] {
  const access: unknown = account['access'];
  if (!isAccess(access)) throw new Error('unreachable: an account is made with its access');
  return access.permissions;
}

/**
 * The API scopes that an authorization request asks for and the person can give. Limits the request to them: the
 * library resolved its resources before it knew the person.
 */
export async function requestedScopes(
  system: System,
  { oidc }: KoaContextWithOIDC,
  { application, account }: { application: Application; account: Account },
): Promise<GrantedApi['scopes']> {
  const requested: GrantedApi['scopes'] = [];
  for (const server of Object.values(oidc.resourceServers ?? {})) {
    // biome-ignore lint/performance/noAwaitInLoops: reads memory
    const api = await grantedApi(system, application, server.identifier());
    const scopes = scopesFor(api, permissionsIn(account));
    server.scope = [...Object.keys(CLAIMS), ...scopes.map(({ name }) => name)].join(' ');
    requested.push(...scopes.filter(({ name }) => oidc.requestParamScopes.has(name)));
  }
  return requested;
}

/**
 * The scopes of APIs that an interaction asks the person for, as the consent page shows them.
 * @param params of the authorization request, which the provider has checked
 */
export async function askedScopes(
  system: System,
  application: Application,
  { params, userId }: { params: Record<string, unknown>; userId: UserId },
): Promise<ScopeText[]> {
  const resources = [params['resource']].flat();
  const names = String(params['scope'] ?? '').split(' ');
  const apis = (await grantedApis(system, application)).filter(({ identifier }) => resources.includes(identifier));
  if (apis.length === 0) return [];
  const ctx = ctxOf(system, application);
  const { permissions } = await accessOf(ctx, userId);
  const asked = apis.flatMap((api) => scopesFor(api, permissions).filter(({ name }) => names.includes(name)));
  return scopeTexts(
    ctx,
    asked.map(({ id }) => id),
  );
}
