import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import * as client from 'openid-client';
import {
  changeSettings,
  eventually,
  expectProblem,
  managementToken,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { browserOf, codeFlow, signInOn } from '#tests/oidc.ts';
import { startSecondProcess } from '#tests/second-process.ts';
import { createTenant, tenantManagementToken } from '#tests/tenants.ts';

const TOKENS = '/v1/admin/applications/registration-tokens';
const REDIRECT = 'http://localhost:5173/callback';
const PUBLIC = { client_name: 'Photo album', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };

const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  await changeSettings(latchkey, { dynamicRegistration: 'with_token' });
});
after(() => latchkey.stop());

async function issue(changes: Record<string, unknown> = {}) {
  const token = await managementToken(latchkey);
  const { status, body, text } = await latchkey.api(TOKENS, { token, body: { name: 'Partners', ...changes } });
  assert.equal(status, 201, text);
  return body;
}

function registerWith({ token }: { token: string }, body: unknown = PUBLIC): Promise<TestResponse> {
  return latchkey.auth('/connect/register', { token, body });
}

async function refused(body: unknown, changes: Record<string, unknown> = {}): Promise<[number, string]> {
  const response = await registerWith(await issue(changes), body);
  return [response.status, response.body.error];
}

describe('registration tokens', () => {
  test('201 shows the token once; the list shows what it is for and how often it was used', async () => {
    const { token, ...record } = await issue({ redirectHosts: ['localhost'], quota: 2 });
    assert.match(token, /^lkg_[a-z0-9]{8}_[\w-]{43}$/);
    assert.deepEqual(record, {
      id: record.id,
      name: 'Partners',
      redirectHosts: ['localhost'],
      quota: 2,
      registered: 0,
      expiresAt: new Date(clock.now().getTime() + 86_400_000).toISOString(),
      createdAt: clock.now().toISOString(),
    });
    await registerWith({ token });
    const list = await latchkey.api(`${TOKENS}?limit=1`, { token: await managementToken(latchkey) });
    assert.deepEqual(list.body.items, [{ ...record, registered: 1 }]);
    const { rows } = await latchkey.system.pool.query('select hash from registration_tokens where id = $1', [
      record.id,
    ]);
    assert.ok(!rows[0].hash.toString('utf8').includes(token));
  });

  test('a removed, expired, foreign or forged token registers nothing: 401', async () => {
    const removed = await issue();
    const admin = await managementToken(latchkey);
    assert.equal((await latchkey.api(`${TOKENS}/${removed.id}`, { method: 'DELETE', token: admin })).status, 204);
    expectProblem(await latchkey.api(`${TOKENS}/${removed.id}`, { method: 'DELETE', token: admin }), 404, 'NOT_FOUND');
    const expired = await issue({ expiresIn: 60 });
    clock.advance(61_000);
    const live = await issue();
    const responses = [
      await registerWith(removed),
      await registerWith(expired),
      await registerWith({ token: `${live.token.slice(0, -4)}AAAA` }),
      await latchkey.auth('/connect/register', { token: live.token, body: PUBLIC }, 'production'),
      await latchkey.auth('/connect/register', { body: PUBLIC }),
    ];
    for (const response of responses) {
      assert.deepEqual([response.status, response.body.error], [401, 'invalid_token'], response.text);
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/);
    }
  });
});

describe('POST /connect/register', () => {
  test('off by default: refused, and not announced', async () => {
    const tenant = await createTenant(latchkey, 'closed');
    const admin = await tenantManagementToken(latchkey, tenant);
    const { body } = await latchkey.api(TOKENS, { token: admin, body: { name: 'Closed' } });
    const response = await registerWith(body);
    assert.deepEqual([response.status, response.body.error], [403, 'access_denied']);
    const announced = async () => (await latchkey.auth('/.well-known/openid-configuration')).body.registration_endpoint;
    const { auth } = latchkey.system.config.addresses.test;
    assert.equal(await announced(), `${auth}/connect/register`);
    await changeSettings(latchkey, { dynamicRegistration: 'off' });
    await eventually(async () => assert.equal(await announced(), undefined));
    assert.equal((await registerWith(await issue())).status, 403);
    await changeSettings(latchkey, { dynamicRegistration: 'with_token' });
  });

  test('every process announces it as soon as it is open', async () => {
    const second = await startSecondProcess(latchkey);
    try {
      const announced = async () => {
        const response = await second.auth('/.well-known/openid-configuration', undefined);
        return Object(await response.json()).registration_endpoint !== undefined;
      };
      assert.equal(await announced(), true);
      await changeSettings(latchkey, { dynamicRegistration: 'off' });
      await eventually(async () => assert.equal(await announced(), false));
      await changeSettings(latchkey, { dynamicRegistration: 'with_token' });
      await eventually(async () => assert.equal(await announced(), true));
    } finally {
      await second.stop();
    }
  });

  test('OA-12 a self-registered application needs consent as unverified, and works with a client library', async () => {
    const { token } = await issue();
    const { auth } = latchkey.system.config.addresses.test;
    const configuration = await client.dynamicClientRegistration(
      new URL(auth),
      { ...PUBLIC, token_endpoint_auth_method: 'client_secret_basic', unknown_member: 1 },
      undefined,
      { initialAccessToken: token, execute: [client.allowInsecureRequests] },
    );
    const { client_id: clientId, client_secret: secret } = configuration.clientMetadata();
    assert.ok(typeof secret === 'string');
    const flow = await codeFlow(latchkey, {}, { clientId, secret });
    const browser = browserOf(latchkey);
    const question = await signInOn(latchkey, flow, await register(latchkey), browser);
    assert.match(question.text, /Photo album asks for access/);
    assert.match(question.text, /registered itself, and Shop has not verified it\. It redirects to localhost:5173\./);
    const tokens = await flow.finish(await browser.submit(question, { decision: 'allow' }));
    assert.ok(tokens.id_token);
  });

  test('the record says which token it came with; it has no origins, permissions or APIs', async () => {
    const issued = await issue();
    const { body } = await registerWith(issued, {
      ...PUBLIC,
      origins: ['https://evil.example'],
      scope: 'members:read',
      pkce: 'optional',
      token_endpoint_auth_method: 'client_secret_basic',
    });
    const admin = await managementToken(latchkey);
    const { body: list } = await latchkey.api('/v1/admin/applications', { token: admin });
    const record = list.items.find(({ clientId }: { clientId: string }) => clientId === body.client_id);
    assert.deepEqual(
      [
        record.registrationTokenId,
        record.firstParty,
        record.origins,
        record.permissions,
        record.apis,
        record.kind,
        record.pkce,
      ],
      [issued.id, false, [], [], [], 'web', 'required'],
    );
    const { rows } = await latchkey.system.pool.query(
      `select type from events where data->>'applicationId' = $1 order by id`,
      [record.id],
    );
    assert.deepEqual(
      rows.map(({ type }) => type),
      ['application.created', 'application.registered'],
    );
  });

  test('each kind by its metadata', async () => {
    const { publicKey } = await generateKeyPair('ES256');
    const jwks = { keys: [await exportJWK(publicKey)] };
    const device = 'urn:ietf:params:oauth:grant-type:device_code';
    const kinds: [Record<string, unknown>, string, boolean][] = [
      [{ redirect_uris: [REDIRECT] }, 'client_secret_basic', true],
      [{ redirect_uris: [REDIRECT], token_endpoint_auth_method: 'private_key_jwt', jwks }, 'private_key_jwt', false],
      [
        { redirect_uris: ['com.example.app:/cb'], application_type: 'native', token_endpoint_auth_method: 'none' },
        'none',
        false,
      ],
      [{ grant_types: [device], token_endpoint_auth_method: 'none' }, 'none', false],
    ];
    for (const [metadata, method, secret] of kinds) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { status, body, text } = await registerWith(await issue(), metadata);
      assert.deepEqual([status, body.token_endpoint_auth_method], [201, method], text);
      assert.equal('client_secret' in body, secret);
    }
  });

  test('OA-1 OA-12 400 for addresses that no application may have, or that the token does not allow', async () => {
    for (const address of [
      'https://*.example.com/cb',
      'http://partner.example/cb',
      'javascript:alert(1)',
      '/relative',
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.deepEqual(await refused({ ...PUBLIC, redirect_uris: [address] }), [400, 'invalid_redirect_uri'], address);
    }
    assert.deepEqual(await refused({ client_name: 'Nowhere' }), [400, 'invalid_redirect_uri']);
    const partner = { redirectHosts: ['partner.example'] };
    assert.deepEqual(await refused(PUBLIC, partner), [400, 'invalid_redirect_uri']);
    const [status] = await refused({ ...PUBLIC, redirect_uris: ['https://partner.example/cb'] }, partner);
    assert.equal(status, 201);
  });

  test('OA-12 400 for metadata that would have to be fetched, and for unsupported metadata', async () => {
    for (const wrong of [
      { jwks_uri: 'http://169.254.169.254/latest/meta-data' },
      { sector_identifier_uri: 'https://partner.example/sector' },
      { grant_types: ['client_credentials'] },
      { grant_types: ['implicit'] },
      { grant_types: ['refresh_token'] },
      { response_types: ['token'] },
      { application_type: 'native', token_endpoint_auth_method: 'client_secret_basic' },
      { token_endpoint_auth_method: 'private_key_jwt' },
      { client_name: 'x'.repeat(101) },
      { client_name: 7 },
      { userinfo_signed_response_alg: 'RS256' },
      { introspection_signed_response_alg: 'ES256' },
      { introspection_encrypted_response_alg: 'ECDH-ES' },
      { redirect_uris: 'https://partner.example/cb' },
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const found = await refused({ ...PUBLIC, ...wrong });
      assert.deepEqual(found, [400, 'invalid_client_metadata'], JSON.stringify(wrong));
    }
  });

  test('OA-12 the quota holds under parallel registrations', async () => {
    const issued = await issue({ quota: 3 });
    const responses = await Promise.all(Array.from({ length: 8 }, () => registerWith(issued)));
    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [201, 201, 201, 403, 403, 403, 403, 403]);
  });

  test('429 after twenty registrations in a minute', async () => {
    const issued = await issue({ quota: 100 });
    const responses = await Promise.all(Array.from({ length: 22 }, () => registerWith(issued)));
    assert.equal(responses.filter(({ status }) => status === 429).length, 2);
  });
});
