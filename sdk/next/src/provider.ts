import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import * as client from 'openid-client';
import { type Logout, readLogoutToken } from './logout-token.ts';
import type { Session, User } from './session.ts';
import type { Settings } from './settings.ts';

/** Proves which browser began a sign-in: only that one has it, in a cookie. */
export type Checks = { pkceCodeVerifier: string; expectedState: string; expectedNonce: string };

/** Latchkey as an application sees it. */
export type Provider = {
  /** @param prompt `create` begins with the registration */
  begin: (prompt: string | undefined) => Promise<{ url: URL; checks: Checks }>;
  /** @param search the query of the callback */
  finish: (search: string, checks: Checks) => Promise<Session>;
  /** @returns null if Latchkey has ended the session */
  renew: (session: Session & { refreshToken: string }) => Promise<Session | null>;
  /** Where the session at Latchkey ends. */
  endUrl: (session: Session | null) => Promise<URL>;
  /** @throws InvalidLogoutToken */
  logout: (token: string) => Promise<Logout>;
};

const TIMEOUT_SECONDS = 10;

export function providerOf(settings: Settings): Provider {
  const { resource } = settings;
  const named = resource === undefined ? {} : { resource };
  const configuration = discovered(settings);
  const callback = `${settings.origin}${settings.path}/callback`;
  let keys: JWTVerifyGetKey | undefined;
  return {
    begin: async (prompt) => {
      const checks = {
        pkceCodeVerifier: client.randomPKCECodeVerifier(),
        expectedState: client.randomState(),
        expectedNonce: client.randomNonce(),
      };
      const url = client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: callback,
        scope: settings.scope,
        code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: checks.expectedState,
        nonce: checks.expectedNonce,
        ...named,
        ...(prompt !== undefined && { prompt }),
      });
      return { url, checks };
    },
    finish: async (search, checks) => {
      const found = await configuration();
      const tokens = await client.authorizationCodeGrant(
        found,
        new URL(callback + search),
        { ...checks, idTokenExpected: true },
        named,
      );
      const claims = tokens.claims();
      if (!claims || !tokens.id_token) throw new Error('The response has no ID token.');
      const user = resource === undefined ? await client.fetchUserInfo(found, tokens.access_token, claims.sub) : claims;
      const sid = typeof claims['sid'] === 'string' ? claims['sid'] : null;
      return { user, idToken: tokens.id_token, sid, ...tokensOf(tokens, null) };
    },
    renew: async (session) => {
      const found = await configuration();
      const tokens = await refreshed(found, session.refreshToken, named);
      if (!tokens) return null;
      return {
        user: resource === undefined ? await userOf(found, tokens.access_token, session.user) : session.user,
        idToken: tokens.id_token ?? session.idToken,
        sid: session.sid,
        ...tokensOf(tokens, session.refreshToken),
      };
    },
    endUrl: async (session) =>
      client.buildEndSessionUrl(await configuration(), {
        post_logout_redirect_uri: new URL(settings.signedOutPath, settings.origin).href,
        ...(session && { id_token_hint: session.idToken }),
      }),
    logout: async (token) => {
      const { issuer, jwks_uri: address = '' } = (await configuration()).serverMetadata();
      keys ??= createRemoteJWKSet(new URL(address), { timeoutDuration: TIMEOUT_SECONDS * 1000 });
      return readLogoutToken(token, { keys, issuer, clientId: settings.clientId });
    },
  };
}

/** Reads the addresses of Latchkey once; again after a failure. */
function discovered({ issuer, clientId, clientSecret }: Settings): () => Promise<client.Configuration> {
  let found: Promise<client.Configuration> | undefined;
  return () => {
    found ??= client
      .discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: TIMEOUT_SECONDS,
        // For development only: a real issuer has https.
        execute: issuer.startsWith('http://localhost') ? [client.allowInsecureRequests] : [],
      })
      .catch((error: unknown) => {
        found = undefined;
        throw error;
      });
    return found;
  };
}

type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;

function tokensOf(tokens: Tokens, before: string | null): Pick<Session, 'accessToken' | 'expiresAt' | 'refreshToken'> {
  return {
    accessToken: tokens.access_token,
    expiresAt: Math.floor(Date.now() / 1000) + (tokens.expires_in ?? 0),
    refreshToken: tokens.refresh_token ?? before,
  };
}

async function refreshed(
  found: client.Configuration,
  token: string,
  named: Record<string, string>,
): Promise<Tokens | null> {
  try {
    return await client.refreshTokenGrant(found, token, named);
  } catch (error) {
    if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') return null;
    throw error;
  }
}

/** The claims of today. The refresh token is used already, so the claims from before stay where these cannot be read. */
async function userOf(found: client.Configuration, accessToken: string, before: User): Promise<User> {
  try {
    return await client.fetchUserInfo(found, accessToken, before.sub);
  } catch {
    return before;
  }
}
