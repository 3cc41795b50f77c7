import { hash } from 'node:crypto';
import type { Client, Configuration, Interaction, KoaContextWithOIDC } from 'oidc-provider';
import { Value } from 'typebox/value';
import { findApplication, isFirstParty } from '#applications';
import { lastingTags } from '#lasting-tags';
import { cookieOptions } from '#platform/cookies.ts';
import { guardedFetch } from '#platform/fetch.ts';
import type { System } from '#platform/system.ts';
import { CLAIMS, ctxOf, customClaimsOf, isAccess, Lifetimes, organizationOf, SCOPES } from './accounts.ts';
import { adapterFor } from './adapter.ts';
import { admittedAccount } from './admission.ts';
import { apiServer } from './apis.ts';
import { applicationOf, type IssuerAddress, realmOf } from './clients.ts';
import { codeSeconds, readCodeLifetime } from './code-lifetime.ts';
import { DPOP_ALGORITHMS } from './dpop.ts';
import { describeExchange, mayCarry } from './exchanged-claims.ts';
import { grantFor } from './grants.ts';
import { cookieNames } from './host-cookies.ts';
import { signOutByHint } from './logout-hint.ts';
import { defaultMachineResource, describeToken, machineResource, machineTokenSeconds } from './management-tokens.ts';
import { applyOrganization } from './organization-switches.ts';
import { checkOrganization } from './organizations.ts';
import { prompts } from './prompts.ts';
import { deviceConfirmed, deviceDone, deviceEntry, failure, loggedOut, logoutQuestion } from './provider-pages.ts';
import { settle } from './record-writes.ts';
import { isRotated } from './refresh-rotation.ts';
import { mayIntrospect } from './structured-tokens.ts';

const DAY = 86_400;
/** Seconds. */
const DEVICE_CODE = 600;
const INTERACTION = 3_600;

const ROUTES = {
  authorization: '/connect/authorize',
  code_verification: '/connect/device',
  device_authorization: '/connect/device_authorization',
  end_session: '/connect/logout',
  introspection: '/connect/introspect',
  jwks: '/connect/jwks',
  pushed_authorization_request: '/connect/par',
  revocation: '/connect/revoke',
  token: '/connect/token',
  userinfo: '/connect/userinfo',
};

/** The hosted page that an interaction begins on. */
function pageOf({ uid, prompt }: Interaction): string {
  return prompt.name === 'create' ? `/sign-in/${uid}/register` : `/sign-in/${uid}`;
}

/** The configuration of an issuer's provider. Only features that work are enabled, and so announced. */
export function configuration(system: System, issuer: IssuerAddress): Configuration {
  return {
    adapter: adapterFor(system, issuer),
    cookies: cookies(system, issuer),
    routes: ROUTES,
    findAccount: async (ctx, subject, source) => {
      const account = await admittedAccount(system, ctx, { subject, source });
      if (account) await applyOrganization(system, issuer, { ctx, source });
      return account;
    },
    loadExistingGrant: async (ctx) => {
      await readCodeLifetime(system, ctx);
      return grantFor(system, ctx);
    },
    interactions: { policy: prompts(system), url: (_ctx, interaction) => pageOf(interaction) },
    claims: CLAIMS,
    scopes: SCOPES,
    // `own_proof`: a connection of an organization does not suffice for what the person is about to do.
    extraParams: { organization: (ctx, named) => checkOrganization(system, issuer, { ctx, named }), own_proof: null },
    acrValues: ['aal1', 'aal2'],
    subjectTypes: ['public', 'pairwise'],
    pairwiseIdentifier: (_ctx, subject, client) => pairwise(system, subject, client),
    // The account decides which claims an ID token carries: it depends on the application.
    conformIdTokenClaims: false,
    // The account page requests `none`; applications get codes.
    responseTypes: ['code', 'none'],
    pkce: { required: (_ctx, client) => applicationOf(client).pkce === 'required' },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    enabledJWA: {
      clientAuthSigningAlgValues: ['PS256', 'ES256', 'EdDSA', 'RS256'],
      dPoPSigningAlgValues: DPOP_ALGORITHMS,
      idTokenSigningAlgValues: ['RS256', 'ES256'],
      introspectionSigningAlgValues: ['RS256', 'ES256'],
    },
    clientDefaults: { id_token_signed_response_alg: 'RS256' },
    // FAPI 2.0 Security Profile §5.3.2.1 (13): accept ten seconds of clock skew, reject sixty.
    clockTolerance: 10,
    clientBasedCORS: (_ctx, origin, client) => applicationOf(client).origins.includes(origin),
    issueRefreshToken: async ({ oidc }, client) => {
      const follows = client.grantTypeAllowed('refresh_token');
      // The access token waits for the refresh token, to be written with it.
      if (!follows) await settle(system, oidc);
      return follows;
    },
    expiresWithSession: () => false,
    rotateRefreshToken: (ctx) => isRotated(system, issuer, ctx),
    ttl: lifetimes(system),
    features: features(system, issuer),
    extraTokenClaims: (ctx, token) => describeAccess(system, ctx, token),
    formats: {
      customizers: {
        jwt: async (ctx, token, jwt) => {
          await describeToken(system, token, jwt);
          describeExchange(ctx, jwt);
        },
      },
    },
    renderError: (ctx, out) => failure(system, ctx, out),
    fetch: guardedFetch(system),
  };
}

/** Lax, because applications send browsers here by a navigation. */
function cookies(system: System, issuer: IssuerAddress): Configuration['cookies'] {
  // The library distinguishes the cookies of several sign-ins by path; see `bindCookies`.
  const { path: _whole, ...bound } = cookieOptions(issuer, 'lax');
  const options = { ...bound, signed: true };
  return {
    // The first key signs and all keys verify, so a new data key signs nobody out.
    keys: system.keyring.tags(realmOf(issuer), 'oidc-cookies').map((key) => key.toString('base64url')),
    names: cookieNames(issuer),
    long: options,
    short: options,
  };
}

/**
 * A subject that only clients of the same sector see (OpenID Connect Core §8.1). It never changes.
 */
async function pairwise(system: System, subject: string, client: Client): Promise<string> {
  const sector = client.sectorIdentifier ?? new URL(client.redirectUris?.[0] ?? 'urn:none').hostname;
  const { workspaceId } = applicationOf(client);
  const reader = { system, db: system.lookups };
  const [tag] = await lastingTags(reader, { workspaceId, purpose: 'pairwise-subject', text: `${sector} ${subject}` });
  return tag.toString('base64url');
}

/** No token or grant outlives its session. */
function lifetimes({ clock }: System): Configuration['ttl'] {
  const bySession =
    <Token>(longestOf: (ctx: KoaContextWithOIDC, token: Token) => number) =>
    (ctx: KoaContextWithOIDC, token: Token) => {
      const longest = longestOf(ctx, token);
      const endsAt = ctx.oidc.entities.Grant?.endsAt ?? ctx.oidc.session?.endsAt;
      return endsAt === undefined
        ? longest
        : Math.max(1, Math.min(longest, endsAt - Math.floor(clock.now().getTime() / 1000)));
    };
  return {
    AccessToken: bySession((ctx, { resourceServer }) => resourceServer?.accessTokenTTL ?? agreedWith(ctx).accessToken),
    AuthorizationCode: codeSeconds,
    ClientCredentials: machineTokenSeconds,
    DeviceCode: DEVICE_CODE,
    Grant: bySession(() => 365 * DAY),
    IdToken: 3_600,
    Interaction: INTERACTION,
    RefreshToken: bySession((ctx) => agreedWith(ctx).refreshToken),
    Session: bySession(() => 365 * DAY),
  };
}

/** The lifetimes that were read with the account. */
function agreedWith({ oidc }: KoaContextWithOIDC): Lifetimes {
  return Value.Parse(Lifetimes, oidc.account?.['lifetimes']);
}

function features(system: System, issuer: IssuerAddress): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    backchannelLogout: { enabled: true },
    claimsParameter: { enabled: true },
    clientCredentials: { enabled: true },
    deviceFlow: {
      enabled: true,
      charset: 'base-20',
      mask: '****-****',
      userCodeInputSource: (ctx, form, _out, error) => deviceEntry(system, ctx, { form, error }),
      userCodeConfirmSource: (ctx, form, client, ...[, userCode]) =>
        deviceConfirmed(system, ctx, { form, userCode, application: applicationOf(client) }),
      successSource: (ctx) => deviceDone(system, ctx),
    },
    dPoP: { enabled: true, nonceSecret: hash('sha256', system.keyring.tag(realmOf(issuer), 'dpop-nonce'), 'buffer') },
    // Keys that sign externally. The version is stated so that an incompatible update fails at start.
    externalSigningSupport: { enabled: true, ack: 'experimental-01' },
    fapi: {
      enabled: true,
      profile: (_ctx, client) => (client && applicationOf(client).profile === 'fapi2' ? '2.0' : undefined),
    },
    introspection: {
      enabled: true,
      allowedPolicy: async (_ctx, client, { clientId = '' }) =>
        mayIntrospect(applicationOf(client), await findApplication(system, issuer.environment, clientId)),
    },
    jwtIntrospection: { enabled: true },
    pushedAuthorizationRequests: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: (ctx, _client, oneOf) => defaultResource(system, issuer, ctx, oneOf),
      getResourceServerInfo: (ctx, resource) =>
        isMachine(ctx) ? machineResource(system, ctx, resource) : apiServer(system, ctx, resource),
      // A token request without a resource means the one that was authorized.
      useGrantedResource: (_ctx, { resourceIndicators }) => resourceIndicators.size === 1,
    },
    revocation: { enabled: true },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: async (ctx, form) => {
        const signedOut = await signOutByHint(ctx, { ...cookies(system, issuer)?.long });
        if (!signedOut) await logoutQuestion(system, ctx, { form, environment: issuer.environment });
      },
      postLogoutSuccessSource: (ctx) => loggedOut(system, ctx),
    },
    userinfo: { enabled: true },
  };
}

/**
 * The resource of a token request that names none. A user's token is for the authorized resource, and else for
 * userinfo: undefined, because the provider ignores unknown scopes only then.
 */
async function defaultResource(
  system: System,
  issuer: IssuerAddress,
  ctx: KoaContextWithOIDC,
  oneOf: unknown,
): Promise<string | string[] | undefined> {
  if (isMachine(ctx)) return defaultMachineResource(system, issuer, applicationOf(ctx.oidc.client));
  return Array.isArray(oneOf) ? oneOf.filter((resource) => typeof resource === 'string') : undefined;
}

function isMachine({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.client?.grantTypeAllowed('client_credentials') === true;
}

type Token = { kind: string; accountId?: string; scope?: string | undefined };

/**
 * What an API needs to authorize without a further request: the user, the project, the organization and the permissions.
 * Every application gets the id of the organization. A third-party application gets roles, permissions and other claims
 * about the organization only if the user consented to these scopes.
 */
async function describeAccess(system: System, ctx: KoaContextWithOIDC, token: Token) {
  const { oidc } = ctx;
  if (token.kind !== 'AccessToken' || !oidc.client || !oidc.account) return undefined;
  const application = applicationOf(oidc.client);
  const appCtx = ctxOf(system, application);
  const { workspaceId, projectId } = appCtx.scope;
  const access: unknown = oidc.account['access'];
  const known = {
    ...(isAccess(access) && access),
    ...(await organizationOf(appCtx, oidc.entities, oidc.account.accountId)),
  };
  const scopes = isFirstParty(application) ? ['roles', 'permissions', 'organization'] : (token.scope?.split(' ') ?? []);
  const told = [
    'org_id',
    ...['roles', 'permissions', 'organization'].flatMap((scope) =>
      scopes.includes(scope) ? (CLAIMS[scope] ?? []) : [],
    ),
  ];
  const claims = Object.entries(known).filter(([claim]) => told.includes(claim) && mayCarry(ctx, claim));
  const custom = Object.entries(await customClaimsOf(oidc.account)).filter(([claim]) => mayCarry(ctx, claim));
  return {
    ...Object.fromEntries(custom),
    workspace_id: workspaceId,
    project_id: projectId,
    ...Object.fromEntries(claims),
  };
}
