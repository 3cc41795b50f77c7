import assert from 'node:assert/strict';
import * as oauth from 'oauth4webapi';
import { endsSessions } from './logout-tokens.ts';
import { testProgram, WALKS } from './program.ts';
import { AUDIENCE, type Pages, type Settings, startParty } from './relying-party.ts';

type Session = { verifier: string; state: string; nonce: string; tokens: oauth.TokenEndpointResponse; sid: unknown };

const insecure = { [oauth.allowInsecureRequests]: true };
/** The published keys. For an unknown key, the library reads them again if its copy is older than a minute. */
const keys: oauth.JWKSCacheInput = {};
const withKeys = { ...insecure, [oauth.jwksCache]: keys };

type Registered = { server: oauth.AuthorizationServer; client: oauth.Client; authentication: oauth.ClientAuth };

async function program(settings: Settings): Promise<Pages<Session>> {
  const issuer = new URL(settings.issuer);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  const client: oauth.Client = { client_id: settings.clientId };
  const registered = { server, client, authentication: oauth.ClientSecretBasic(settings.clientSecret) };
  return {
    ...codeFlow(settings, registered),
    ...afterSignIn(settings, registered),
    '/backchannel-logout': endsSessions<Session>(settings, ({ sid }) => sid),
    '/api': async ({ url, authorization }) => {
      const request = new Request(url, { headers: { authorization } });
      const checked = oauth.validateJwtAccessToken({ ...server }, request, AUDIENCE, withKeys);
      return checked.then(
        () => ({ status: 200 }),
        () => ({ status: 401 }),
      );
    },
  };
}

/** With every check of the ID token that the library makes. */
function codeFlow({ origin, clientId }: Settings, { server, client, authentication }: Registered): Pages<Session> {
  const redirectUri = `${origin}/callback`;
  return {
    '/sign-in': async ({ session }) => {
      const verifier = oauth.generateRandomCodeVerifier();
      const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
      Object.assign(session, { verifier, state, nonce });
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: 'openid email',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        max_age: '3600',
      });
      return { location: `${server.authorization_endpoint}?${query}` };
    },
    '/callback': async ({ url, session }) => {
      const { state = '', verifier = '', nonce = '' } = session;
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        oauth.validateAuthResponse(server, client, url, state),
        redirectUri,
        verifier,
        insecure,
      );
      const checks = { expectedNonce: nonce, maxAge: 3_600, requireIdToken: true };
      session.tokens = await oauth.processAuthorizationCodeResponse(server, client, response, checks);
      session.sid = oauth.getValidatedIdTokenClaims(session.tokens)?.['sid'];
      await oauth.validateApplicationLevelSignature({ ...server }, response, withKeys);
      return { location: '/me' };
    },
  };
}

function afterSignIn({ origin }: Settings, { server, client, authentication }: Registered): Pages<Session> {
  return {
    '/me': async ({ session: { tokens } }) => {
      if (!tokens) return { status: 401 };
      const response = await oauth.userInfoRequest(server, client, tokens.access_token, insecure);
      const subject = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? '';
      return { json: await oauth.processUserInfoResponse(server, client, subject, response) };
    },
    '/refresh': async ({ session }) => {
      assert.ok(session.tokens);
      const { access_token, refresh_token = '' } = session.tokens;
      const response = await oauth.refreshTokenGrantRequest(server, client, authentication, refresh_token, insecure);
      session.tokens = await oauth.processRefreshTokenResponse(server, client, response);
      return { json: { changed: session.tokens.access_token !== access_token } };
    },
    '/sign-out': async ({ session }) => {
      const query = new URLSearchParams({
        id_token_hint: session.tokens?.id_token ?? '',
        post_logout_redirect_uri: `${origin}/`,
      });
      delete session.tokens;
      return { location: `${server.end_session_endpoint}?${query}` };
    },
  };
}

const { rotation, ...others } = WALKS;
const [sentence, expectRotation] = rotation;

testProgram('oauth4webapi', (latchkey) => startParty(latchkey, {}, program), {
  walks: [
    ...Object.values(others),
    [
      sentence,
      (party) => {
        Object.assign(keys, { uat: Number(keys.uat) - 60 });
        return expectRotation(party);
      },
    ],
  ],
});
