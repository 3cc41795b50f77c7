import * as client from 'openid-client';

const { LATCHKEY_ISSUER: issuer = 'http://localhost:4001', LATCHKEY_CLIENT_ID } = process.env;

const latchkey = await client.discovery(new URL(issuer), LATCHKEY_CLIENT_ID, undefined, client.None(), {
  // For development only: a real issuer has https.
  execute: issuer.startsWith('http://localhost') ? [client.allowInsecureRequests] : [],
});

const asked = await client.initiateDeviceAuthorization(latchkey, { scope: 'openid email' });
console.log(`Open ${asked.verification_uri} in any browser and enter ${asked.user_code}`);

// Asks again in the rhythm it is told, until the person has answered or ten minutes are over.
const tokens = await client.pollDeviceAuthorizationGrant(latchkey, asked);
const { email } = await client.fetchUserInfo(latchkey, tokens.access_token, tokens.claims().sub);
console.log(`Signed in as ${email}`);
