import type { AdapterPayload, Client, Provider } from 'oidc-provider';
import { type Application, checkSecret, findApplication } from '#applications';
import type { Environment } from '#platform/ctx.ts';
import type { Address } from '#platform/http.ts';
import type { System } from '#platform/system.ts';

/** The address of a provider and whom it serves: one project, or (null) every project of the environment. */
export type IssuerAddress = Address & { environment: Environment };

/**
 * The key under which an issuer's records are stored and its cookies signed. A host may change owners: the new one must
 * find nothing of the earlier project or organization.
 */
export function realmOf({ url, scope, organizationId }: Address): string {
  if (!scope) return url;
  return organizationId === null ? `${url} ${scope.projectId}` : `${url} ${scope.projectId} ${organizationId}`;
}

/** The client with this id at an issuer; on a project's own address only one of that project. */
export async function applicationAt(
  system: System,
  { environment, scope, organizationId, url }: IssuerAddress,
  clientId: string,
): Promise<Application | undefined> {
  const application = await findApplication(system, environment, clientId);
  const served =
    !scope || (application?.workspaceId === scope.workspaceId && application.projectId === scope.projectId);
  if (!served) return undefined;
  return application?.signInOnly && organizationId !== null ? accountPageAt(application, url) : application;
}

/** Cached per state of an account page, because the provider creates a client per object. */
const accountPages = new WeakMap<Application, Map<string, Application>>();

/** The account page at the address of an organization, which returns to that address only. */
function accountPageAt(application: Application, url: string): Application {
  const known = accountPages.get(application) ?? new Map<string, Application>();
  accountPages.set(application, known);
  const redirectUris = [`${url}/account/return`, `${url}/account/linked`];
  const page = known.get(url) ?? { ...application, redirectUris };
  known.set(url, page);
  return page;
}

const applications = new WeakMap<Client, Application>();

/** The application behind a client of the provider. */
export function applicationOf(client: Client | undefined): Application {
  const application = client && applications.get(client);
  if (!application) throw new Error('unreachable: the provider made a client that is not an application');
  return application;
}

/**
 * Makes the applications that an issuer serves its provider's clients. Each state of an application has one client
 * object, which also checks secrets: the provider never holds one.
 */
export function useApplications(provider: Provider, system: System, issuer: IssuerAddress): void {
  const { Client } = provider;
  const findClient = Client.find.bind(Client);
  const clients = new WeakMap<Application, Client>();
  Client.find = async (clientId: string) => {
    const application = await applicationAt(system, issuer, clientId);
    if (!application) return undefined;
    const known = clients.get(application);
    if (known) return known;
    const client = await findClient(clientId);
    if (!client) return undefined;
    clients.set(application, client);
    applications.set(client, application);
    return client;
  };
  Client.prototype.compareClientSecret = function compare(this: Client, presented: string) {
    return checkSecret(applicationOf(this), presented);
  };
}

/** The client metadata of an application; undefined if it is disabled, incomplete, or can't authenticate. */
export function clientMetadata(application: Application, issuer: IssuerAddress): AdapterPayload | undefined {
  const authentication = authenticationOf(application);
  if (!application.enabled || !authentication) return undefined;
  const browser = application.kind !== 'device' && application.kind !== 'management';
  const responses = application.signInOnly ? 'none' : 'code';
  // It has no redirect address yet.
  const redirectUris = application.saml ? [samlReturnUrl(issuer.url, application)] : application.redirectUris;
  if (browser && redirectUris.length === 0) return undefined;
  return {
    client_id: application.clientId,
    client_name: application.name,
    ...authentication,
    application_type: application.kind === 'native' ? 'native' : 'web',
    grant_types: application.grants,
    response_types: browser ? [responses] : [],
    redirect_uris: browser ? redirectUris : [],
    post_logout_redirect_uris: application.postLogoutRedirectUris,
    subject_type: application.subjectType,
    ...(application.backchannelLogoutUri !== null && {
      backchannel_logout_uri: application.backchannelLogoutUri,
      backchannel_logout_session_required: true,
    }),
    dpop_bound_access_tokens: application.dpopBound || application.profile === 'fapi2',
    require_pushed_authorization_requests: application.profile === 'fapi2',
    ...(application.profile === 'fapi2' && FAPI_ALGORITHMS),
  };
}

/** Where the sign-in for an application by SAML ends, at the address where it began. */
export function samlReturnUrl(auth: string, { clientId }: Pick<Application, 'clientId'>): string {
  return `${auth}/saml/${clientId}/return`;
}

/** FAPI 2.0 Security Profile §5.4.1 does not allow RS256. */
const FAPI_ALGORITHMS = { id_token_signed_response_alg: 'ES256', introspection_signed_response_alg: 'ES256' } as const;

/** FAPI 2.0 Security Profile §5.4.1 does not allow RS256, so an RSA key signs with PS256 only. */
function fapiKeys({ keys }: NonNullable<Application['jwks']>): NonNullable<Application['jwks']> {
  return { keys: keys.map((key) => (key.kty === 'RSA' ? { ...key, alg: 'PS256' } : key)) };
}

/** How a client authenticates: with keys, with a secret, or (a public client) by PKCE alone. */
function authenticationOf({ kind, jwks, secretHashes: [hash], profile }: Application): AdapterPayload | undefined {
  if (jwks) return { token_endpoint_auth_method: 'private_key_jwt', jwks: profile === 'fapi2' ? fapiKeys(jwks) : jwks };
  // FAPI 2.0 Security Profile §5.3.2.1: clients authenticate with keys.
  if (profile === 'fapi2') return undefined;
  if (kind !== 'web' && kind !== 'management') return { token_endpoint_auth_method: 'none' };
  // checkSecret compares the secret; the hash is here so that the library notices a rotation. For such a client the
  // library accepts client_secret_post too.
  return hash && { token_endpoint_auth_method: 'client_secret_basic', client_secret: hash.toString('base64url') };
}
