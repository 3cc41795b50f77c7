import { randomBytes } from 'node:crypto';
import express from 'express';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as client from 'openid-client';

const { LATCHKEY_ISSUER, LATCHKEY_CLIENT_ID, LATCHKEY_CLIENT_SECRET, ORIGIN } = process.env;

const latchkey = await client.discovery(new URL(LATCHKEY_ISSUER), LATCHKEY_CLIENT_ID, LATCHKEY_CLIENT_SECRET, undefined, {
  // For development only: a real issuer has https.
  execute: LATCHKEY_ISSUER.startsWith('http://localhost') ? [client.allowInsecureRequests] : [],
});

const keys = createRemoteJWKSet(new URL(latchkey.serverMetadata().jwks_uri));

/** Verifies a logout token (OpenID Connect Back-Channel Logout 1.0). Returns the session at Latchkey that has ended. */
async function endedSession(token) {
  const { payload } = await jwtVerify(token, keys, {
    issuer: LATCHKEY_ISSUER,
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

const app = express();
app.disable('x-powered-by');
app.use((request, _response, next) => {
  request.sessionId = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1];
  request.session = sessions.get(request.sessionId);
  next();
});

/** Begins another session, so that nobody goes on with one that they were given. */
function begin(request, response, session) {
  sessions.delete(request.sessionId);
  const id = randomBytes(32).toString('base64url');
  sessions.set(id, session);
  response.cookie('session', id, { httpOnly: true, sameSite: 'lax', secure: ORIGIN.startsWith('https:') });
}

const escaped = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (content) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>My application</title>
<style>:root { color-scheme: light dark; font-family: system-ui, sans-serif } main { max-width: 640px; margin: 48px auto; padding: 0 16px }</style>
<main><h1>My application</h1>${content}</main>
</html>`;

app.get('/', ({ session }, response) => {
  const { user } = session ?? {};
  const account = `${LATCHKEY_ISSUER}/account?clientId=${encodeURIComponent(LATCHKEY_CLIENT_ID)}`;
  response.send(
    page(
      user
        ? `<p>You are signed in as ${escaped(user.email ?? user.sub)}.</p><p><a href="${escaped(account)}">Your account</a></p>
<form method="post" action="/sign-out"><button>Sign out</button></form>`
        : '<p>You are not signed in.</p><form method="post" action="/sign-in"><button>Sign in</button></form>',
    ),
  );
});

app.post('/sign-in', async (request, response) => {
  const checks = {
    pkceCodeVerifier: client.randomPKCECodeVerifier(),
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
  };
  begin(request, response, { checks });
  const url = client.buildAuthorizationUrl(latchkey, {
    redirect_uri: `${ORIGIN}/callback`,
    scope: 'openid profile email',
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
  });
  response.redirect(303, url.href);
});

app.get('/callback', async (request, response) => {
  if (!request.session?.checks) return response.redirect(303, '/');
  const tokens = await client.authorizationCodeGrant(latchkey, new URL(request.url, ORIGIN), request.session.checks);
  const { sub, sid } = tokens.claims();
  const user = await client.fetchUserInfo(latchkey, tokens.access_token, sub);
  begin(request, response, { user, sid, idToken: tokens.id_token });
  response.redirect(303, '/');
});

// Another site cannot send this request with the cookie, because it is SameSite=Lax.
app.post('/sign-out', (request, response) => {
  sessions.delete(request.sessionId);
  const url = client.buildEndSessionUrl(latchkey, {
    post_logout_redirect_uri: `${ORIGIN}/`,
    ...(request.session?.idToken && { id_token_hint: request.session.idToken }),
  });
  response.redirect(303, url.href);
});

// The session ended at Latchkey: in another application, or by an administrator. Latchkey sends it again until the response is 2xx.
app.post('/backchannel-logout', express.urlencoded(), async (request, response) => {
  const sid = await endedSession(request.body?.logout_token ?? '');
  for (const [id, session] of sessions) if (session.sid === sid) sessions.delete(id);
  response.end();
});

app.use((error, _request, response, _next) => {
  console.error(error);
  response.status(500).send(page('<p role="alert">That did not work. <a href="/">Try again</a>.</p>'));
});

const { port } = new URL(ORIGIN);
app.listen(Number(port), 'localhost', () => console.log(`Open ${ORIGIN}`));
