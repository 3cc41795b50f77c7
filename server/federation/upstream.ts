import { importPKCS8, SignJWT } from 'jose';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretPost,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  PrivateKeyJwt,
} from 'openid-client';
import { Value } from 'typebox/value';
import type { UsableConnection } from '#connections';
import { issuerOfProfiles, type UpstreamProvider } from '#identity-providers';
import { type UpstreamIdentity, UpstreamProfile } from '#linked-identities';
import type { Ctx } from '#platform/ctx.ts';
import { guardedFetch, outbound } from '#platform/fetch.ts';
import { perSystem, type System } from '#platform/system.ts';

/**
 * The parameters of an authorization request, checked when the browser returns (RFC 9700 §2.1.1; OpenID Connect Core
 * §3.1.2.1).
 */
export type UpstreamRequest = {
  state: string;
  nonce: string;
  verifier: string;
  challenge: string;
  loginHint: string | null;
};

/** What is needed to speak with a provider: of the project, or behind a connection of an organization. */
export type RelyingProvider = Omit<UpstreamProvider, 'id' | 'enabled'> & {
  id: string;
  /** Authenticates in place of the secret (RFC 7523). */
  signingKey?: UsableConnection['signingKey'];
};

const REMEMBER_MS = 3_600_000;
/** Organizations have many connections; those that are used stay. */
const MAX_REMEMBERED = 1_000;

type Remembered = { key: string; until: number; configuration: Promise<Configuration> };
const known = perSystem(() => new Map<string, Remembered>());

/** The provider's endpoints and keys; discovery runs once an hour. */
function configurationOf({ system }: Pick<Ctx, 'system'>, provider: RelyingProvider): Promise<Configuration> {
  const key = JSON.stringify([provider.clientId, provider.options, provider.clientSecret, provider.signingKey?.kid]);
  const now = system.clock.now().getTime();
  const remembered = known(system).get(provider.id);
  if (remembered && remembered.key === key && remembered.until > now) return remembered.configuration;
  const configuration = discover(system, provider);
  known(system).delete(provider.id);
  known(system).set(provider.id, { key, until: now + REMEMBER_MS, configuration });
  const [oldest] = known(system).keys();
  if (known(system).size > MAX_REMEMBERED && oldest !== undefined) known(system).delete(oldest);
  // A failed discovery is not cached.
  configuration.catch(() => known(system).delete(provider.id));
  return configuration;
}

async function discover(system: System, provider: RelyingProvider): Promise<Configuration> {
  const { preset, options, clientId } = provider;
  const authentication = await authenticationOf(system, provider);
  if (preset.protocol === 'oauth2') {
    const configuration = new Configuration(
      {
        issuer: options.issuer ?? preset.issuer,
        authorization_endpoint: options.authorizationEndpoint ?? preset.authorizationEndpoint,
        token_endpoint: options.tokenEndpoint ?? preset.tokenEndpoint,
      },
      clientId,
      {},
      authentication,
    );
    prepare(system, configuration);
    return configuration;
  }
  const configured = options.issuer ?? preset.issuer?.replace('{tenant}', options.tenant ?? 'common') ?? '';
  // The library does not compare the issuer with the address of a document: then a document of anybody could name any
  // issuer, and so its accounts (AU-8).
  const issuer = configured.replace(/\/\.well-known\/openid-configuration\/?$/, '');
  if (issuer.includes('/.well-known/')) throw new Error('The issuer must not be the address of a document.');
  return discovery(new URL(issuer), clientId, {}, authentication, {
    [customFetch]: guardedFetch(system),
    // The ID token's signature is checked although the token comes from the issuer directly: an invalid or foreign one is refused.
    execute: [enableNonRepudiationChecks, ...(insecureAllowed(system) ? [allowInsecureRequests] : [])],
  });
}

async function authenticationOf(system: System, provider: RelyingProvider): Promise<ClientAuth> {
  const { signingKey, clientSecret } = provider;
  if (!signingKey) return clientSecret === null ? None() : ClientSecretPost(await clientSecretOf(system, provider));
  const { kid, alg, privateKey } = signingKey;
  return PrivateKeyJwt({ key: await importPKCS8(privateKey, alg), kid });
}

function prepare(system: System, configuration: Configuration): void {
  configuration[customFetch] = guardedFetch(system);
  if (insecureAllowed(system)) allowInsecureRequests(configuration);
}

/** Outside production mode, a provider on this machine may be used without TLS. */
function insecureAllowed({ config }: System): boolean {
  return config.mode === 'development';
}

const APPLE_SECRET_SECONDS = 2 * 3_600;

/** Apple's client secret is a JWT signed with the team's key; other providers use the configured secret. */
async function clientSecretOf(
  system: System,
  { preset, clientSecret, clientId, options }: RelyingProvider,
): Promise<string> {
  if (preset.protocol !== 'oidc' || !('appleSecret' in preset) || !preset.appleSecret) return clientSecret ?? '';
  const now = Math.floor(system.clock.now().getTime() / 1000);
  return new SignJWT({ iss: options.teamId ?? '', sub: clientId, aud: 'https://appleid.apple.com' })
    .setProtectedHeader({ alg: 'ES256', kid: options.keyId ?? '' })
    .setIssuedAt(now)
    .setExpirationTime(now + APPLE_SECRET_SECONDS)
    .sign(await importPKCS8(clientSecret ?? '', 'ES256'));
}

/** Which protections the provider supports in addition to the state. */
function checksOf({ preset }: RelyingProvider): { nonce: boolean; pkce: boolean } {
  if (preset.protocol === 'oauth2') return { nonce: false, pkce: true };
  return { nonce: !preset.without?.includes('nonce'), pkce: !preset.without?.includes('pkce') };
}

/** The address of the provider's sign-in page. */
export async function authorizationUrl(
  ctx: Pick<Ctx, 'system'>,
  provider: RelyingProvider,
  request: UpstreamRequest & { callback: string },
): Promise<string> {
  const configuration = await configurationOf(ctx, provider);
  const { preset, options } = provider;
  const { nonce, pkce } = checksOf(provider);
  return buildAuthorizationUrl(configuration, {
    redirect_uri: request.callback,
    scope: (options.scopes ?? preset.scopes).join(' '),
    state: request.state,
    ...(nonce && { nonce: request.nonce }),
    ...(pkce && { code_challenge: request.challenge, code_challenge_method: 'S256' }),
    ...(preset.protocol === 'oidc' && preset.formPost && { response_mode: 'form_post' }),
    ...(request.loginHint && { login_hint: request.loginHint }),
  }).href;
}

/**
 * Exchanges the provider's code and reads the identity. Checks the response against the request: issuer (RFC 9207),
 * state, nonce, PKCE, and the signature of the ID token.
 * @param returned the callback address with the provider's parameters
 * @throws Error of `openid-client` that names the failed check
 */
export async function identityFrom(
  ctx: Pick<Ctx, 'system'>,
  provider: UpstreamProvider,
  visit: Returning,
): Promise<UpstreamIdentity> {
  const { claims, accessToken } = await redeemed(ctx, provider, visit);
  if (!claims) return oauthIdentity(ctx.system, provider, accessToken);
  return oidcIdentity(provider, { ...nameBeside(provider, visit.returned), ...claims });
}

type Returning = { request: UpstreamRequest; returned: URL };

/**
 * The claims of an OpenID provider about the person who returns, with the checks of {@link identityFrom}.
 * @throws Error of `openid-client` that names the failed check
 */
export async function claimsFrom(
  ctx: Pick<Ctx, 'system'>,
  provider: RelyingProvider,
  visit: Returning,
): Promise<Record<string, unknown>> {
  const { claims } = await redeemed(ctx, provider, visit);
  if (!claims) throw new Error('unreachable: the provider speaks OpenID Connect');
  return claims;
}

/** Claims are null for a provider that speaks only OAuth. */
async function redeemed(
  ctx: Pick<Ctx, 'system'>,
  provider: RelyingProvider,
  { request, returned }: Returning,
): Promise<{ claims: Record<string, unknown> | null; accessToken: string }> {
  const configuration = await configurationOf(ctx, provider);
  const oidc = provider.preset.protocol === 'oidc';
  const { nonce, pkce } = checksOf(provider);
  const tokens = await authorizationCodeGrant(configuration, returned, {
    expectedState: request.state,
    ...(pkce && { pkceCodeVerifier: request.verifier }),
    ...(nonce && { expectedNonce: request.nonce }),
    ...(oidc && { idTokenExpected: true }),
  });
  const accessToken = tokens.access_token;
  if (!oidc) return { claims: null, accessToken };
  const claims = tokens.claims();
  if (!claims) throw new Error('The provider sent no ID token.');
  const endpoint = configuration.serverMetadata().userinfo_endpoint;
  const profile =
    endpoint && claims['email'] === undefined ? await fetchUserInfo(configuration, accessToken, claims.sub) : {};
  const { issuer } = configuration.serverMetadata();
  return { claims: { ...profile, ...claims, iss: claims.iss || issuer }, accessToken };
}

/** Apple sends the name outside of the ID token, and only at a user's first sign-in. It is used for display only. */
function nameBeside({ preset }: UpstreamProvider, returned: URL): Record<string, string> {
  const user = returned.searchParams.get('user');
  if (preset.protocol !== 'oidc' || !preset.formPost || user === null) return {};
  try {
    const { firstName, lastName } = Object(Object(JSON.parse(user)).name);
    const [given, family] = [text(firstName), text(lastName)];
    const full = [given, family].filter((part) => part !== null).join(' ');
    return {
      ...(given !== null && { given_name: given }),
      ...(family !== null && { family_name: family }),
      ...(full !== '' && { name: full }),
    };
  } catch {
    return {};
  }
}

function oidcIdentity(provider: UpstreamProvider, claims: Record<string, unknown>): UpstreamIdentity {
  // Apple and some others write the boolean as text.
  const verified = claims['email_verified'] === true || claims['email_verified'] === 'true';
  return {
    provider: provider.key,
    issuer: String(claims['iss']),
    subject: String(claims['sub']),
    email: text(claims['email']),
    emailVerified: verified && provider.options.trustEmail !== false,
    name: text(claims['name']),
    givenName: text(claims['given_name']),
    familyName: text(claims['family_name']),
    profile: profileOf(claims),
  };
}

/** The claims that a profile accepts; others are left out. */
function profileOf(claims: Record<string, unknown>): UpstreamProfile {
  const { middle_name: middleName, nickname, gender, profile, website } = claims;
  const told = Object.entries({ middleName, nickname, gender, profile, website }).filter(
    ([field, value]) => value !== undefined && Value.Check(UpstreamProfile, { [field]: value }),
  );
  return Value.Parse(UpstreamProfile, Object.fromEntries(told));
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, 200) : null;
}

async function oauthIdentity(
  system: System,
  provider: UpstreamProvider,
  accessToken: string,
): Promise<UpstreamIdentity> {
  const { preset, options } = provider;
  if (preset.protocol !== 'oauth2') throw new Error('unreachable: the preset speaks OAuth');
  const profile = await readJson(system, options.userinfoEndpoint ?? preset.userinfoEndpoint, accessToken);
  const subject = profile[preset.claims.subject];
  if (typeof subject !== 'string' && typeof subject !== 'number') throw new Error('The profile names no account.');
  const emails = options.emailsEndpoint ?? ('emailsEndpoint' in preset ? preset.emailsEndpoint : undefined);
  const verified = emails ? await primaryEmail(system, emails, accessToken) : undefined;
  const field = 'emailVerified' in preset ? preset.emailVerified : undefined;
  const email = verified ?? text(profile[preset.claims.email]);
  const trusted = verified !== undefined || (field !== undefined && profile[field] === true);
  return {
    provider: provider.key,
    issuer: issuerOfProfiles(preset, options),
    subject: String(subject),
    email,
    emailVerified: email !== null && trusted && options.trustEmail !== false,
    name: text(profile[preset.claims.name]),
    givenName: null,
    familyName: null,
  };
}

async function readJson(system: System, url: string, accessToken: string): Promise<Record<string, unknown>> {
  const response = await outbound(system, url, {
    headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json', 'user-agent': 'latchkey' },
  });
  if (!response.ok) throw new Error(`The profile endpoint responded with status ${response.status}.`);
  return Object(await response.json());
}

/** GitHub lists addresses separately: returns the primary one if it is verified. */
async function primaryEmail(system: System, url: string, accessToken: string): Promise<string | undefined> {
  const list = Object.values(await readJson(system, url, accessToken));
  const primary = list.map((entry) => Object(entry)).find((entry) => entry.primary === true && entry.verified === true);
  return typeof primary?.email === 'string' ? primary.email : undefined;
}

/** Checks that a provider responds as configured. */
export async function checkProvider(
  ctx: Pick<Ctx, 'system'>,
  provider: RelyingProvider,
): Promise<{ ok: boolean; issuer: string | null; detail: string }> {
  try {
    const configuration = await discover(ctx.system, provider);
    const { issuer, authorization_endpoint: endpoint } = configuration.serverMetadata();
    return { ok: true, issuer, detail: `Sign-in starts at ${endpoint ?? 'an unknown address'}.` };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return { ok: false, issuer: null, detail: (error instanceof Error ? error.message : 'failed') + cause };
  }
}
