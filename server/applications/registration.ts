import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { projectOf } from '#environments';
import { emit } from '#events';
import { type Ctx, type Environment, transaction } from '#platform/ctx.ts';
import { Limit } from '#platform/limits.ts';
import { Problem } from '#platform/problem.ts';
import { perSystem } from '#platform/system.ts';
import { createApplication, type NewApplication } from './applications.ts';
import { type ApplicationKind, grantsOf } from './grants.ts';
import { Jwks } from './jwks.ts';
import { checkAddresses } from './redirect-uris.ts';
import { type Presented, takeRegistration } from './registration-tokens.ts';

const uri = Type.String({ minLength: 1, maxLength: 2_000 });
const uris = Type.Array(uri, { maxItems: 50, uniqueItems: true });

const CODE = 'authorization_code';
const REFRESH = 'refresh_token';
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

/** The supported client metadata (RFC 7591 §2); other members are ignored, as the RFC requires. */
export const ClientMetadata = Type.Object({
  client_name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  redirect_uris: Type.Optional(uris),
  post_logout_redirect_uris: Type.Optional(uris),
  backchannel_logout_uri: Type.Optional(uri),
  token_endpoint_auth_method: Type.Optional(
    Type.Enum(['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']),
  ),
  grant_types: Type.Optional(Type.Array(Type.Enum([CODE, REFRESH, DEVICE]), { minItems: 1, maxItems: 3 })),
  response_types: Type.Optional(Type.Array(Type.Literal('code'), { maxItems: 1 })),
  application_type: Type.Optional(Type.Enum(['web', 'native'])),
  subject_type: Type.Optional(Type.Enum(['public', 'pairwise'])),
  id_token_signed_response_alg: Type.Optional(Type.Literal('RS256')),
  introspection_signed_response_alg: Type.Optional(Type.Literal('RS256')),
  dpop_bound_access_tokens: Type.Optional(Type.Boolean()),
  jwks: Type.Optional(Jwks),
});
type ClientMetadata = Static<typeof ClientMetadata>;

/** Why a registration is refused (RFC 7591 §3.2.2; RFC 6750 §3.1). */
export class RegistrationError extends Error {
  readonly status: 400 | 401 | 403 | 429;
  readonly code: string;

  constructor(status: RegistrationError['status'], code: string, description: string) {
    super(description);
    this.status = status;
    this.code = code;
  }
}

const wrong = (description: string) => new RegistrationError(400, 'invalid_client_metadata', description);

/**
 * Members that name an address to fetch are rejected, so that a client can't make the server call an address (OA-12).
 */
const FETCHED = ['jwks_uri', 'sector_identifier_uri', 'request_uris', 'software_statement'];

/** Members that ask for signed or encrypted responses. A client that relies on them must not get plain ones. */
const PROTECTED_RESPONSES = [
  'userinfo_signed_response_alg',
  'userinfo_encrypted_response_alg',
  'userinfo_encrypted_response_enc',
  'id_token_encrypted_response_alg',
  'id_token_encrypted_response_enc',
  'introspection_encrypted_response_alg',
  'introspection_encrypted_response_enc',
];

/** @throws RegistrationError for metadata of a wrong type, or that this server does not support */
function parse(body: unknown): ClientMetadata {
  const given = Object(body);
  const fetched = FETCHED.find((name) => name in given);
  if (fetched)
    throw wrong(`${fetched} is not supported here${fetched === 'jwks_uri' ? '; send the keys as jwks' : ''}`);
  const plain = PROTECTED_RESPONSES.find((name) => name in given);
  if (plain)
    throw wrong(
      `${plain} is not supported here: userinfo is JSON, and ID tokens and introspection responses are signed only`,
    );
  const known = Object.fromEntries(
    Object.keys(ClientMetadata.properties).flatMap((name) => (name in given ? [[name, given[name]]] : [])),
  );
  if (Value.Check(ClientMetadata, known)) return known;
  const [first] = Value.Errors(ClientMetadata, known);
  throw wrong(`${first?.instancePath.slice(1).replaceAll('/', '.') || 'the body'} ${first?.message ?? 'is not valid'}`);
}

/**
 * The kind of application that the metadata describes.
 * @throws RegistrationError for contradictory metadata
 */
function kindOf({
  grant_types: grants = [CODE],
  application_type: type,
  ...metadata
}: ClientMetadata): ApplicationKind {
  const method = metadata.token_endpoint_auth_method ?? 'client_secret_basic';
  const device = grants.includes(DEVICE);
  if (device && grants.includes(CODE)) throw wrong('an application signs in by code or by device, not both');
  if (!device && !grants.includes(CODE)) throw wrong(`grant_types need ${CODE} or ${DEVICE}`);
  if ((device || type === 'native') && method !== 'none')
    throw wrong('a program on a device can keep no secret: token_endpoint_auth_method must be none');
  if ((method === 'private_key_jwt') !== (metadata.jwks !== undefined))
    throw wrong('jwks and private_key_jwt go together');
  if (device) return 'device';
  if (type === 'native') return 'native';
  return method === 'none' ? 'spa' : 'web';
}

/**
 * The requested addresses, checked by the rules for every application and those of the token.
 * @throws RegistrationError
 */
function checkedAddresses(
  environment: Environment,
  kind: ApplicationKind,
  metadata: ClientMetadata,
  presented: Presented,
) {
  const addresses = {
    redirectUris: metadata.redirect_uris ?? [],
    postLogoutRedirectUris: metadata.post_logout_redirect_uris ?? [],
    backchannelLogoutUri: metadata.backchannel_logout_uri ?? null,
  };
  if (kind !== 'device' && addresses.redirectUris.length === 0)
    throw new RegistrationError(400, 'invalid_redirect_uri', 'redirect_uris are needed');
  try {
    checkAddresses(environment, kind, addresses);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const [fault] = Object(error.extensions['errors']);
    throw new RegistrationError(400, 'invalid_redirect_uri', `an address ${String(Object(fault).message)}`);
  }
  const named = [
    ...addresses.redirectUris,
    ...addresses.postLogoutRedirectUris,
    addresses.backchannelLogoutUri ?? [],
  ].flat();
  const { redirectHosts } = presented;
  const outside =
    redirectHosts.length > 0 && named.find((address) => !redirectHosts.includes(new URL(address).hostname));
  if (outside)
    throw new RegistrationError(400, 'invalid_redirect_uri', `${outside} is on a host the token does not allow`);
  return addresses;
}

/** Limits registrations per token. */
const perMinute = perSystem((system) => new Limit(system, { name: 'client-registration', points: 20, seconds: 60 }));

/**
 * Registers a third-party application: it has no origins, no permissions and no APIs, and the consent page says
 * that it is unverified (RFC 7591 §3; OA-12).
 * @returns the metadata as registered (RFC 7591 §3.2.1)
 * @throws RegistrationError
 */
export async function registerApplication(ctx: Ctx, presented: Presented, body: unknown) {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  if (settings.dynamicRegistration === 'off')
    throw new RegistrationError(403, 'access_denied', 'the project does not accept registrations');
  const taken = await perMinute(ctx.system).take(ctx, presented.id, { told: true });
  if (!taken.allowed)
    throw new RegistrationError(429, 'temporarily_unavailable', 'too many registrations; try again in a minute');
  const metadata = parse(body);
  const kind = kindOf(metadata);
  const addresses = checkedAddresses(ctx.scope.environment, kind, metadata, presented);
  const application: NewApplication = {
    kind,
    name: metadata.client_name ?? hostOf(addresses.redirectUris) ?? 'Unnamed application',
    ...addresses,
    firstParty: false,
    subjectType: metadata.subject_type ?? 'public',
    jwks: metadata.jwks ? Value.Parse(Jwks, metadata.jwks) : null,
    dpopBound: metadata.dpop_bound_access_tokens ?? false,
    grants: metadata.grant_types ?? [...grantsOf(kind)],
    registrationTokenId: presented.id,
  };
  const { clientId, secret } = await transaction(ctx, async (tx) => {
    if (!(await takeRegistration(tx, presented.id)))
      throw new RegistrationError(403, 'access_denied', 'the token has no registrations left');
    const made = await createApplication(tx, application);
    await emit(tx, 'application.registered', { applicationId: made.id, registrationTokenId: presented.id });
    return made;
  });
  return signInResponse(ctx, { clientId, secret }, application, metadata);
}

function hostOf([first]: readonly string[]): string | undefined {
  return first === undefined ? undefined : new URL(first).hostname.slice(0, 100) || undefined;
}

type Issued = { clientId: string; secret: string | null };

function signInResponse(
  { now }: Ctx,
  { clientId, secret }: Issued,
  application: NewApplication,
  metadata: ClientMetadata,
) {
  const { kind, name, redirectUris = [], postLogoutRedirectUris = [], backchannelLogoutUri } = application;
  const browser = kind !== 'device';
  return {
    client_id: clientId,
    client_id_issued_at: Math.floor(now.getTime() / 1000),
    ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
    client_name: name,
    application_type: kind === 'native' ? ('native' as const) : ('web' as const),
    token_endpoint_auth_method: metadata.token_endpoint_auth_method ?? 'client_secret_basic',
    grant_types: [...(application.grants ?? grantsOf(kind))],
    response_types: browser ? ['code'] : [],
    redirect_uris: redirectUris,
    post_logout_redirect_uris: postLogoutRedirectUris,
    ...(backchannelLogoutUri && { backchannel_logout_uri: backchannelLogoutUri }),
    subject_type: application.subjectType ?? 'public',
    id_token_signed_response_alg: 'RS256' as const,
    introspection_signed_response_alg: 'RS256' as const,
    dpop_bound_access_tokens: application.dpopBound ?? false,
    ...(metadata.jwks && { jwks: metadata.jwks }),
  };
}
