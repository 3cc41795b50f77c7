import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createApplication, type NewApplication } from '#applications';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

/** Registers an RSA key that names no algorithm, and pushes a request with an assertion. */
async function push(alg: 'RS256' | 'PS256', profile: NewApplication['profile']) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one' }] };
  const redirectUri = 'https://application.example/callback';
  const { clientId } = await latchkey.inProject((tx) =>
    createApplication(tx, {
      kind: 'web',
      name: 'Keys',
      redirectUris: [redirectUri],
      jwks,
      ...(profile && { profile }),
    }),
  );
  const assertion = await new SignJWT({ jti: crypto.randomUUID() })
    .setProtectedHeader({ alg, kid: 'one' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(latchkey.system.config.addresses.test.auth)
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(privateKey);
  const { status, body } = await latchkey.auth('/connect/par', {
    body: new URLSearchParams({
      client_id: clientId,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    }),
  });
  return [status, body.error];
}

describe('a client that authenticates with an RSA key', () => {
  test('may sign with RS256, the default of many libraries, and with PS256', async () => {
    assert.deepEqual(await push('RS256', 'oauth'), [201, undefined]);
    assert.deepEqual(await push('PS256', 'oauth'), [201, undefined]);
  });

  test('must sign with PS256 with the profile FAPI 2.0', async () => {
    assert.deepEqual(await push('RS256', 'fapi2'), [401, 'invalid_client']);
    assert.deepEqual(await push('PS256', 'fapi2'), [201, undefined]);
  });
});
