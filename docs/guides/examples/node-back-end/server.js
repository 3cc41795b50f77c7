import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as client from 'openid-client';

const { LATCHKEY_ISSUER: issuer = 'http://localhost:4001', LATCHKEY_CLIENT_ID, LATCHKEY_CLIENT_SECRET } = process.env;
const { PORT = '3000' } = process.env;
const origin = `http://localhost:${PORT}`;

const latchkey = await client.discovery(new URL(issuer), LATCHKEY_CLIENT_ID, LATCHKEY_CLIENT_SECRET, undefined, {
  // For development only: a real issuer has https.
  execute: issuer.startsWith('http://localhost') ? [client.allowInsecureRequests] : [],
});

const keys = createRemoteJWKSet(new URL(latchkey.serverMetadata().jwks_uri));

/** Verifies a logout token (OpenID Connect Back-Channel Logout 1.0 §2.6). @returns the session at Latchkey that has ended */
async function endedSession(token) {
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: LATCHKEY_CLIENT_ID,
    typ: 'logout+jwt',
    maxTokenAge: '10 minutes',
    requiredClaims: ['exp', 'jti', 'sid'],
  });
  if (!payload.events?.['http://schemas.openid.net/event/backchannel-logout'] || payload.nonce !== undefined)
    throw new Error('This is no logout token.');
  return payload.sid;
}

/** Sessions of this application, by the secret in the browser's cookie. Store them in your database. */
const sessions = new Map();

const pages = {
  'GET /': async ({ session }) =>
    session?.user
      ? { text: `Hello, ${session.user.name ?? session.user.email}\n` }
      : { text: 'You are not signed in. Open /sign-in\n' },

  'GET /sign-in': async () => {
    const checks = {
      pkceCodeVerifier: client.randomPKCECodeVerifier(),
      expectedState: client.randomState(),
      expectedNonce: client.randomNonce(),
    };
    const url = client.buildAuthorizationUrl(latchkey, {
      redirect_uri: `${origin}/callback`,
      scope: 'openid profile email',
      code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: checks.expectedState,
      nonce: checks.expectedNonce,
    });
    return { to: url.href, begin: { checks } };
  },

  'GET /callback': async ({ session, url }) => {
    if (!session?.checks) return { to: '/' };
    const tokens = await client.authorizationCodeGrant(latchkey, url, session.checks);
    const claims = tokens.claims();
    const user = await client.fetchUserInfo(latchkey, tokens.access_token, claims.sub);
    // Start a new session: the previous one may belong to another person.
    return { to: '/', begin: { user, sid: claims.sid, idToken: tokens.id_token, refreshToken: tokens.refresh_token } };
  },

  // Another site cannot send this request with the cookie, because it is SameSite=Lax.
  'POST /sign-out': async ({ session }) => ({
    end: true,
    to: client.buildEndSessionUrl(latchkey, {
      post_logout_redirect_uri: `${origin}/`,
      ...(session?.idToken && { id_token_hint: session.idToken }),
    }).href,
  }),

  // Latchkey sends it again until the response is 2xx.
  'POST /backchannel-logout': async ({ request }) => {
    if (!(Number(request.headers['content-length']) < 10_000)) throw new Error('The request is too long.');
    const sid = await endedSession(new URLSearchParams(await textOf(request)).get('logout_token') ?? '');
    for (const [id, session] of sessions) if (session.sid === sid) sessions.delete(id);
    return { text: '' };
  },
};

createServer(async (request, response) => {
  const url = new URL(request.url, origin);
  const id = /(?:^|; )session=([0-9a-f-]+)/.exec(request.headers.cookie ?? '')?.[1];
  try {
    const result = await pages[`${request.method} ${url.pathname}`]?.({ request, url, session: sessions.get(id) });
    if (!result) return response.writeHead(404).end('There is no such page.\n');
    const { to, text, begin, end } = result;
    if (begin || end) sessions.delete(id);
    if (begin) {
      const fresh = randomUUID();
      sessions.set(fresh, begin);
      response.setHeader('set-cookie', `session=${fresh}; HttpOnly; SameSite=Lax; Path=/`);
    }
    if (to) return response.writeHead(303, { location: to }).end();
    response.end(text);
  } catch (error) {
    console.error(error);
    response.writeHead(500).end('That did not work. Try again.\n');
  }
}).listen(Number(PORT), () => console.log(`open ${origin}`));
