import { once } from 'node:events';
import { createServer } from 'node:http';
import * as client from 'openid-client';

const { LATCHKEY_ISSUER: issuer = 'http://localhost:4001', LATCHKEY_CLIENT_ID } = process.env;

const latchkey = await client.discovery(new URL(issuer), LATCHKEY_CLIENT_ID, undefined, client.None(), {
  // For development only: a real issuer has https.
  execute: issuer.startsWith('http://localhost') ? [client.allowInsecureRequests] : [],
});

// The redirect comes to this machine, at any free port (RFC 8252 §7.3).
const listener = createServer();
await once(listener.listen(0, '127.0.0.1'), 'listening');
const redirectUri = `http://127.0.0.1:${listener.address().port}/callback`;

const pkceCodeVerifier = client.randomPKCECodeVerifier();
const expectedState = client.randomState();
const url = client.buildAuthorizationUrl(latchkey, {
  redirect_uri: redirectUri,
  scope: 'openid profile email',
  code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
  code_challenge_method: 'S256',
  state: expectedState,
});

// An application opens the system's browser, never an embedded web view (RFC 8252 §8.12).
console.log(`Open ${url.href}`);

const [request, response] = await once(listener, 'request');
response.setHeader('connection', 'close').end('You can return to the application.\n');
listener.close();

const callback = new URL(request.url, redirectUri);
const tokens = await client.authorizationCodeGrant(latchkey, callback, { pkceCodeVerifier, expectedState });
const { email } = await client.fetchUserInfo(latchkey, tokens.access_token, tokens.claims().sub);
console.log(`Signed in as ${email}`);

// Later, without the person: each refresh token works once and returns the next. Store it in the system's key store.
const renewed = await client.refreshTokenGrant(latchkey, tokens.refresh_token);
console.log(`Renewed for ${renewed.expires_in} seconds`);
