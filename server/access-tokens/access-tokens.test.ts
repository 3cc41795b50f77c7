import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader, exportJWK, SignJWT, UnsecuredJWT } from 'jose';
import { signingKeys } from '#keys';
import {
  expectProblem,
  managementToken,
  ownerToken,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';

describe('access tokens', () => {
  const clock = new TestClock();
  let latchkey: TestLatchkey;
  before(async () => {
    latchkey = await startTestLatchkey({ clock });
  });
  after(() => latchkey.stop());

  const context = (token: string) => latchkey.api('/v1/me/context', { token });

  test('OA-9 a session token is an ES256 at+jwt for the API address', async () => {
    const { access_token, session } = await register(latchkey);
    const { authUrl, apiUrl } = latchkey.demo.environments.test;
    const { alg, typ } = decodeProtectedHeader(access_token);
    assert.deepEqual({ alg, typ }, { alg: 'ES256', typ: 'at+jwt' });
    const { iss, aud, sub, sid, exp = 0, iat = 0, ...claims } = decodeJwt(access_token);
    assert.deepEqual(
      { iss, aud, sub, sid, lifetime: exp - iat },
      { iss: authUrl, aud: apiUrl, sub: session.userId, sid: session.id, lifetime: 900 },
    );
    assert.equal(claims['projectId'], session.projectId);
    assert.equal(claims['environment'], 'test');
    assert.deepEqual(claims['amr'], ['pwd']);
  });

  test('OA-9 a management token is useless on /v1/me/*', async () => {
    const token = await managementToken(latchkey);
    expectProblem(await context(token), 403, 'WRONG_TOKEN_KIND');
    expectProblem(
      await latchkey.api('/v1/me/profile', { token, method: 'PATCH', body: { displayName: 'x' } }),
      403,
      'WRONG_TOKEN_KIND',
    );
  });

  test('OA-9 a session without the permission is useless on /v1/admin/*, and an owner’s works', async () => {
    const { access_token } = await register(latchkey);
    const denied = await latchkey.api('/v1/admin/members', { token: access_token });
    expectProblem(denied, 403, 'AUTHORIZATION_DENIED');
    assert.equal(denied.body.requiredPermission, 'members:read');
    assert.equal((await latchkey.api('/v1/admin/members', { token: await ownerToken(latchkey) })).status, 200);
  });

  test('OA-9 a token of one environment is refused by the other', async () => {
    const { access_token } = await register(latchkey);
    expectProblem(
      await latchkey.api('/v1/me/context', { token: access_token }, 'production'),
      401,
      'AUTHENTICATION_REQUIRED',
    );
  });

  test('OA-10 unsigned, foreign, symmetric and key-carrying tokens are refused', async () => {
    const { access_token } = await register(latchkey);
    const claims = decodeJwt(access_token);
    const { kid } = decodeProtectedHeader(access_token);
    const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = await exportJWK(foreign.publicKey);
    const [header = '', payload = '', signature = ''] = access_token.split('.');
    const [key] = await signingKeys(latchkey.system, 'test').all();
    const publicPem = JSON.stringify(key?.publicJwk);
    const symmetric = (alg: string) => {
      const head = Buffer.from(JSON.stringify({ alg, typ: 'at+jwt', kid })).toString('base64url');
      return `${head}.${payload}.${createHmac('sha256', publicPem).update(`${head}.${payload}`).digest('base64url')}`;
    };
    const sign = (extra: Record<string, unknown>) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...extra }).sign(foreign.privateKey);
    const forged: Record<string, string> = {
      'alg none': new UnsecuredJWT(claims).encode(),
      'signature removed': `${header}.${payload}.`,
      'signature altered': `${header}.${payload}.${signature.slice(0, -6)}AAAAAA`,
      'claims altered': `${header}.${Buffer.from(JSON.stringify({ ...claims, sub: 'usr_00000000000000000000000000' })).toString('base64url')}.${signature}`,
      'another key under our kid': await sign({ kid }),
      'an embedded jwk': await sign({ jwk }),
      'a jku': await sign({ kid, jku: 'http://127.0.0.1:1/jwks.json' }),
      'an x5u': await sign({ kid, x5u: 'http://127.0.0.1:1/cert.pem' }),
      'HS256 with the public key': symmetric('HS256'),
    };
    for (const [name, token] of Object.entries(forged)) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await context(token);
      assert.equal(response.status, 401, name);
      expectProblem(response, 401, 'AUTHENTICATION_REQUIRED');
    }
    assert.equal((await context(access_token)).status, 200);
  });

  test('OA-10 a token of another type, issuer or audience signed with our own key is refused', async () => {
    const { access_token } = await register(latchkey);
    const key = await signingKeys(latchkey.system, 'test').signer('ES256');
    const claims = decodeJwt(access_token);
    const sign = (changes: Record<string, unknown>, typ = 'at+jwt') =>
      new SignJWT({ ...claims, ...changes })
        .setProtectedHeader({ alg: 'ES256', typ, kid: key.id })
        .sign(key.privateKey);
    assert.equal((await context(await sign({}))).status, 200);
    expectProblem(await context(await sign({}, 'JWT')), 401, 'AUTHENTICATION_REQUIRED');
    expectProblem(await context(await sign({ aud: 'https://elsewhere.example' })), 403, 'WRONG_TOKEN_KIND');
    expectProblem(await context(await sign({ iss: 'https://elsewhere.example' })), 401, 'AUTHENTICATION_REQUIRED');
    expectProblem(await context(await sign({ sid: undefined, entryId: undefined })), 403, 'WRONG_TOKEN_KIND');
  });

  test('a request without a token in the Authorization header is refused', async () => {
    const { access_token } = await register(latchkey);
    const bare = await latchkey.api('/v1/me/context');
    expectProblem(bare, 401, 'AUTHENTICATION_REQUIRED');
    assert.match(bare.headers.get('www-authenticate') ?? '', /^Bearer/);
    expectProblem(await latchkey.api(`/v1/me/context?access_token=${access_token}`), 401, 'AUTHENTICATION_REQUIRED');
    expectProblem(
      await latchkey.api('/v1/me/context', { headers: { authorization: `Basic ${access_token}` } }),
      401,
      'AUTHENTICATION_REQUIRED',
    );
  });

  test('SE-2 an access token expires after 15 minutes', async () => {
    const { access_token } = await register(latchkey);
    clock.advance(899_000);
    assert.equal((await context(access_token)).status, 200);
    clock.advance(1_000);
    expectProblem(await context(access_token), 401, 'SESSION_EXPIRED');
  });
});
