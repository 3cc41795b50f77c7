import * as client from 'openid-client';

const { LATCHKEY_ISSUER: issuer = 'http://localhost:4001', LATCHKEY_CLIENT_ID } = process.env;

const latchkey = await client.discovery(new URL(issuer), LATCHKEY_CLIENT_ID, undefined, client.None(), {
  // For development only: a real issuer has https.
  execute: issuer.startsWith('http://localhost') ? [client.allowInsecureRequests] : [],
});

const device = await client.initiateDeviceAuthorization(latchkey, { scope: 'openid email' });
console.log(`Open ${device.verification_uri} in any browser and enter ${device.user_code}`);

// Polls at the interval that the server sets, until the person decides or the code expires after ten minutes.
const tokens = await client.pollDeviceAuthorizationGrant(latchkey, device);
const { email } = await client.fetchUserInfo(latchkey, tokens.access_token, tokens.claims().sub);
console.log(`Signed in as ${email}`);
