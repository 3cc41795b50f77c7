import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import * as client from 'openid-client';
import {
  changeSettings,
  eventually,
  expectProblem,
  managementToken,
  ownerToken,
  register,
  requestManagementToken,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { browserOf, codeFlow, signInOn } from '#tests/oidc.ts';

const PATH = '/v1/admin/applications';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
});
after(() => latchkey.stop());

const add = (body: Record<string, unknown>, as = token, environment: 'test' | 'production' = 'test') =>
  latchkey.api(PATH, { token: as, body: { name: 'New', ...body } }, environment);
const change = (id: string, body: Record<string, unknown>) =>
  latchkey.api(`${PATH}/${id}`, { token, method: 'PATCH', body });

describe('applications', () => {
  test('one of each kind is added, read, listed, changed and removed', async () => {
    for (const kind of ['spa', 'web', 'native', 'management', 'device']) {
      // biome-ignore lint/performance/noAwaitInLoops: one kind after the other
      const { status, body } = await add({ kind });
      assert.equal(status, 201);
      assert.equal(body.secret !== null, kind === 'web' || kind === 'management', kind);
      const read = await latchkey.api(`${PATH}/${body.id}`, { token });
      const { secret: _once, ...record } = body;
      assert.deepEqual(read.body, record);
      assert.ok(!read.text.includes('lks_'));
      const renamed = await change(body.id, { name: 'Renamed' });
      assert.equal(renamed.body.name, 'Renamed');
      const removed = await latchkey.api(`${PATH}/${body.id}`, { token, method: 'DELETE' });
      assert.equal(removed.status, 204);
      expectProblem(await latchkey.api(`${PATH}/${body.id}`, { token }), 404, 'NOT_FOUND');
    }
  });

  test('the list is read in pages, newest first', async () => {
    const made = [(await add({ kind: 'spa' })).body.id, (await add({ kind: 'spa' })).body.id];
    const first = await latchkey.api(`${PATH}?limit=1`, { token });
    assert.deepEqual(
      first.body.items.map(({ id }: { id: string }) => id),
      [made[1]],
    );
    const second = await latchkey.api(`${PATH}?limit=1&cursor=${first.body.nextCursor}`, { token });
    assert.deepEqual(
      second.body.items.map(({ id }: { id: string }) => id),
      [made[0]],
    );
  });

  test('OA-1 addresses are exact and safe, or refused with the field and what was received', async () => {
    const refused: [Record<string, unknown>, string][] = [
      [{ kind: 'web', redirectUris: ['https://*.example.com/cb'] }, '/body/redirectUris/0'],
      [{ kind: 'web', redirectUris: ['http://example.com/cb'] }, '/body/redirectUris/0'],
      [{ kind: 'web', redirectUris: ['https://a.example/cb', 'https://b.example/cb#x'] }, '/body/redirectUris/1'],
      [{ kind: 'web', redirectUris: ['https://user:pw@a.example/'] }, '/body/redirectUris/0'],
      [{ kind: 'web', redirectUris: ['/callback'] }, '/body/redirectUris/0'],
      [{ kind: 'web', redirectUris: ['com.example.app:/cb'] }, '/body/redirectUris/0'],
      [{ kind: 'native', redirectUris: ['myapp:/cb'] }, '/body/redirectUris/0'],
      [{ kind: 'native', redirectUris: ['javascript:alert(1)'] }, '/body/redirectUris/0'],
      [{ kind: 'spa', origins: ['https://a.example/'] }, '/body/origins/0'],
      [{ kind: 'spa', backchannelLogoutUri: 'ftp://a.example/' }, '/body/backchannelLogoutUri'],
      [{ kind: 'web', profile: 'fapi2' }, '/body/jwks'],
      [{ kind: 'web', profile: 'fapi2', jwks: { keys: [{ kty: 'RSA', alg: 'RS256' }] } }, '/body/jwks'],
      [{ kind: 'spa', pkce: 'optional' }, '/body/pkce'],
      [{ kind: 'native', pkce: 'optional' }, '/body/pkce'],
      [{ kind: 'device', pkce: 'optional' }, '/body/pkce'],
      [{ kind: 'management', pkce: 'optional' }, '/body/pkce'],
      [{ kind: 'spa', permissions: ['members:read'] }, '/body/permissions'],
      [{ kind: 'spa', grants: ['client_credentials'] }, '/body/grants'],
      [{ kind: 'web', grants: ['refresh_token'] }, '/body/grants'],
      [{ kind: 'web', grants: ['authorization_code'], refreshTokenSeconds: 600 }, '/body/refreshTokenSeconds'],
      [{ kind: 'management', accessTokenSeconds: 7_200 }, '/body/accessTokenSeconds'],
    ];
    for (const [body, pointer] of refused) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await add(body);
      expectProblem(response, 400, 'VALIDATION_FAILED');
      assert.equal(response.body.errors[0].pointer, pointer, response.text);
    }
    for (const body of [
      { kind: 'web', redirectUris: ['https://a.example/cb?x=1', 'http://localhost:3000/cb'] },
      { kind: 'native', redirectUris: ['com.example.app:/cb', 'http://127.0.0.1/cb', 'https://a.example/cb'] },
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await add(body)).status, 201);
    }
  });

  test('OA-3 PKCE is required by default, and cannot become optional together with FAPI 2.0', async () => {
    const { body: made } = await add({ kind: 'web' });
    assert.equal(made.pkce, 'required');
    const { publicKey } = await generateKeyPair('ES256');
    const jwks = { keys: [await exportJWK(publicKey)] };
    const strict = (await add({ kind: 'web', profile: 'fapi2', jwks })).body;
    const relaxed = (await add({ kind: 'web', pkce: 'optional' })).body;
    assert.equal(relaxed.pkce, 'optional');
    const change = (id: string, body: Record<string, unknown>) =>
      latchkey.api(`/v1/admin/applications/${id}`, { method: 'PATCH', token, body });
    const responses = [
      await change(strict.id, { pkce: 'optional' }),
      await change(relaxed.id, { profile: 'fapi2', jwks }),
    ];
    for (const refused of responses) {
      expectProblem(refused, 400, 'VALIDATION_FAILED');
      assert.equal(refused.body.errors[0].pointer, '/body/pkce', refused.text);
    }
    const moved = await change(relaxed.id, { profile: 'fapi2', jwks, pkce: 'required' });
    assert.deepEqual([moved.status, moved.body.profile, moved.body.pkce], [200, 'fapi2', 'required'], moved.text);
  });

  test('in production only https, except for applications on a device', async () => {
    const { owner } = latchkey.demo.environments.production;
    const login = await latchkey.auth(
      '/v1/auth/login/password',
      { body: { identifier: owner.email, password: owner.password } },
      'production',
    );
    const as = login.body.access_token;
    const local = ['http://localhost:3000/cb'];
    expectProblem(await add({ kind: 'spa', redirectUris: local }, as, 'production'), 400, 'VALIDATION_FAILED');
    assert.equal((await add({ kind: 'native', redirectUris: local }, as, 'production')).status, 201);
  });

  test('a change of redirect addresses counts on the next sign-in', async () => {
    const { body } = await add({ kind: 'spa', redirectUris: ['http://localhost:9001/a'] });
    const options = { clientId: body.clientId, redirectUri: 'http://localhost:9001/b' };
    const before = await browserOf(latchkey).open((await codeFlow(latchkey, {}, options)).url);
    assert.equal(before.status, 400);
    await change(body.id, { redirectUris: ['http://localhost:9001/b'] });
    await eventually(async () => {
      const after = await browserOf(latchkey).open((await codeFlow(latchkey, {}, options)).url);
      assert.equal(after.status, 200);
    });
  });

  test('two secrets can be active, also under twenty parallel calls; removing one ends the tokens', async () => {
    const { body } = await add({ kind: 'management', permissions: ['roles:read'] });
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => latchkey.api(`${PATH}/${body.id}/secrets`, { token, method: 'POST' })),
    );
    assert.deepEqual(responses.filter(({ status }) => status === 201).length, 1);
    assert.ok(responses.every(({ status, body: { errorCode } }) => status === 201 || errorCode === 'CONFLICT'));
    const second = responses.find(({ status }) => status === 201)?.body;
    const tokenWith = (secret: string) =>
      requestManagementToken(latchkey, { client_id: body.clientId, client_secret: secret });
    const issued = await eventually(async () => {
      const response = await tokenWith(second.secret);
      assert.equal(response.status, 200, response.text);
      return response.body.access_token;
    });
    assert.equal((await tokenWith(body.secret)).status, 200);
    assert.equal((await latchkey.api('/v1/admin/roles', { token: issued })).status, 200);
    const removed = await latchkey.api(`${PATH}/${body.id}/secrets/${body.secrets[0].id}`, { token, method: 'DELETE' });
    assert.equal(removed.status, 204);
    await eventually(async () => {
      assert.equal((await tokenWith(body.secret)).status, 401);
      assert.equal((await latchkey.api('/v1/admin/roles', { token: issued })).status, 401);
    });
    assert.equal((await tokenWith(second.secret)).status, 200);
  });

  test('disabling ends the tokens and refuses sign-ins; enabling permits them again', async () => {
    const { body } = await add({ kind: 'management', permissions: ['roles:read'] });
    const ask = () => requestManagementToken(latchkey, { client_id: body.clientId, client_secret: body.secret });
    const issued = (await ask()).body.access_token;
    assert.equal((await change(body.id, { enabled: false })).body.enabled, false);
    await eventually(async () => {
      assert.equal((await latchkey.api('/v1/admin/roles', { token: issued })).status, 401);
      assert.equal((await ask()).body.error, 'invalid_client');
    });
    await change(body.id, { enabled: true });
    await eventually(async () => assert.equal((await ask()).status, 200));
  });

  test('disabling ends its users’ tokens permanently', async () => {
    const redirectUri = 'http://localhost:9002/cb';
    const { body } = await add({ kind: 'spa', redirectUris: [redirectUri] });
    const person = await register(latchkey);
    const signIn = async () => {
      const flow = await codeFlow(latchkey, {}, { clientId: body.clientId, redirectUri });
      return { flow, tokens: await flow.finish(await signInOn(latchkey, flow, person)) };
    };
    const { flow, tokens } = await signIn();
    const renew = async (refreshToken = '') => {
      const form = { grant_type: 'refresh_token', client_id: body.clientId, refresh_token: refreshToken };
      return (await latchkey.auth('/connect/token', { body: new URLSearchParams(form) })).body;
    };
    const subject = tokens.claims()?.sub ?? '';
    assert.ok(tokens.refresh_token);
    assert.equal((await client.fetchUserInfo(flow.configuration, tokens.access_token, subject)).sub, subject);
    assert.equal((await change(body.id, { enabled: false })).status, 200);
    await eventually(async () => assert.equal((await renew(tokens.refresh_token)).error, 'invalid_client'));
    assert.equal((await change(body.id, { enabled: true })).status, 200);
    await eventually(async () => assert.equal((await renew(tokens.refresh_token)).error, 'invalid_grant'));
    await assert.rejects(client.fetchUserInfo(flow.configuration, tokens.access_token, subject));
    await eventually(async () => {
      const anew = await signIn();
      const renewed = await renew(anew.tokens.refresh_token);
      assert.ok(renewed.access_token, 'who signs in again has tokens that work');
    });
  });

  test('its tokens live as long as it says, or else as its project says; it uses the grants it names', async () => {
    const redirectUri = 'http://localhost:9003/cb';
    const person = await register(latchkey);
    const tokensOf = async (options: Record<string, unknown>) => {
      const { body } = await add({ kind: 'spa', redirectUris: [redirectUri], ...options });
      const flow = await codeFlow(latchkey, {}, { clientId: body.clientId, redirectUri });
      const tokens = await flow.finish(await signInOn(latchkey, flow, person));
      const { rows } = await latchkey.system.pool.query(
        `select round(extract(epoch from expires_at - now())) as left from oidc_records
         where model = 'RefreshToken' and payload->>'clientId' = $1`,
        [body.clientId],
      );
      return { record: body, tokens, unused: rows.map(({ left }) => Math.round(Number(left) / 60)) };
    };
    const usual = await tokensOf({});
    assert.deepEqual(usual.record.grants, ['authorization_code', 'refresh_token']);
    assert.deepEqual([usual.tokens.expires_in, usual.unused], [900, [14 * 24 * 60]]);
    const own = await tokensOf({ accessTokenSeconds: 120, refreshTokenSeconds: 600 });
    assert.deepEqual([own.tokens.expires_in, own.unused], [120, [10]]);
    const once = await tokensOf({ grants: ['authorization_code'] });
    assert.deepEqual([once.record.grants, once.tokens.refresh_token], [['authorization_code'], undefined]);
    await changeSettings(latchkey, { accessTokenSeconds: 300, sessionIdleSeconds: 3_600 });
    const project = await tokensOf({});
    assert.deepEqual([project.tokens.expires_in, project.unused], [300, [60]]);
    await changeSettings(latchkey, { accessTokenSeconds: 900, sessionIdleSeconds: 14 * 86_400 });

    const { body } = await add({ kind: 'management', permissions: ['roles:read'], accessTokenSeconds: 90 });
    const response = await requestManagementToken(latchkey, { client_id: body.clientId, client_secret: body.secret });
    assert.equal(response.body.expires_in, 90, response.text);
  });

  test('keys must be public, and replace a secret', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const secretPart = await exportJWK(privateKey);
    expectProblem(await add({ kind: 'web', jwks: { keys: [secretPart] } }), 400, 'VALIDATION_FAILED');
    const { body } = await add({ kind: 'web', jwks: { keys: [await exportJWK(publicKey)] } });
    assert.equal(body.secret, null);
    expectProblem(await latchkey.api(`${PATH}/${body.id}/secrets`, { token, method: 'POST' }), 409, 'CONFLICT');
  });

  test('an actor grants only permissions it holds, and a customer sees nothing', async () => {
    const narrow = await managementToken(latchkey, 'applications:write applications:read');
    const refused = await add({ kind: 'management', permissions: ['members:write'] }, narrow);
    expectProblem(refused, 403, 'AUTHORIZATION_DENIED');
    const { access_token } = await register(latchkey);
    expectProblem(await latchkey.api(PATH, { token: access_token }), 403, 'AUTHORIZATION_DENIED');
  });
});
