import assert from 'node:assert/strict';
import * as client from 'openid-client';
import { endsSessions } from './logout-tokens.ts';
import { testProgram, WALKS } from './program.ts';
import { type Pages, type Settings, startParty } from './relying-party.ts';

type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;
type Session = { verifier: string; state: string; tokens: Tokens };

async function program(settings: Settings): Promise<Pages<Session>> {
  const { issuer, origin, clientId, clientSecret } = settings;
  const configuration = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    execute: [client.allowInsecureRequests],
  });
  return {
    '/sign-in': async ({ session }) => {
      const [verifier, state] = [client.randomPKCECodeVerifier(), client.randomState()];
      Object.assign(session, { verifier, state });
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: `${origin}/callback`,
        scope: 'openid email offline_access',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      });
      return { location: url.href };
    },
    '/callback': async ({ url, session }) => {
      const { verifier = '', state = '' } = session;
      const checks = { pkceCodeVerifier: verifier, expectedState: state, idTokenExpected: true };
      session.tokens = await client.authorizationCodeGrant(configuration, url, checks);
      return { location: '/me' };
    },
    '/me': async ({ session: { tokens } }) => {
      if (!tokens) return { status: 401 };
      const subject = tokens.claims()?.sub ?? '';
      return { json: await client.fetchUserInfo(configuration, tokens.access_token, subject) };
    },
    '/refresh': async ({ session }) => {
      assert.ok(session.tokens);
      const { access_token, refresh_token = '' } = session.tokens;
      session.tokens = await client.refreshTokenGrant(configuration, refresh_token);
      return { json: { changed: session.tokens.access_token !== access_token } };
    },
    '/sign-out': async ({ session }) => {
      const asked = {
        id_token_hint: session.tokens?.id_token ?? '',
        post_logout_redirect_uri: `${origin}/`,
      };
      delete session.tokens;
      return { location: client.buildEndSessionUrl(configuration, asked).href };
    },
    '/backchannel-logout': endsSessions<Session>(settings, ({ tokens }) => tokens?.claims()?.['sid']),
  };
}

const { audience: _, ...walks } = WALKS;

testProgram('openid-client', (latchkey) => startParty(latchkey, {}, program), { walks: Object.values(walks) });
