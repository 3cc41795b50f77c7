import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { createSigningKey } from '#keys';
import { startEmbeddedPostgres } from '#platform/embedded-postgres.ts';
import {
  eventually,
  expectProblem,
  managementToken,
  requestManagementToken,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';

const HOUR_MS = 3_600_000;
const DOCUMENTS = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/connect/jwks'];

describe('an issuer', () => {
  const clock = new TestClock();
  let latchkey: TestLatchkey;
  before(async () => {
    latchkey = await startTestLatchkey({ clock });
  });
  after(() => latchkey.stop());

  for (const path of DOCUMENTS) {
    test(`GET ${path} is the provider’s own response, cacheable, and readable from any page`, async () => {
      const origin = 'https://page.example';
      const first = await latchkey.auth(path, { headers: { origin } });
      const second = await latchkey.auth(path, { headers: { origin, 'x-correlation-id': 'second' } });
      assert.equal(first.text, second.text);
      for (const name of ['content-type', 'etag', 'cache-control', 'access-control-allow-origin'])
        assert.equal(first.headers.get(name), second.headers.get(name), name);
      assert.equal(second.headers.get('cache-control'), 'public, max-age=300');
      assert.equal(second.headers.get('access-control-allow-origin'), '*');
      assert.equal(second.headers.get('x-correlation-id'), 'second');
      assert.match(second.headers.get('traceparent') ?? '', /^00-[0-9a-f]{32}-/);
      const plain = await latchkey.auth(path, { headers: { 'x-correlation-id': 'plain' } });
      assert.equal(plain.text, first.text);
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'access-control-allow-origin'])
        assert.equal(plain.headers.get(name), first.headers.get(name), name);
      assert.equal(plain.headers.get('x-correlation-id'), 'plain');
      assert.match(plain.headers.get('traceparent') ?? '', /^00-[0-9a-f]{32}-/);
      const etag = second.headers.get('etag') ?? '';
      const unchanged = await latchkey.auth(path, { headers: { 'if-none-match': etag } });
      assert.deepEqual([unchanged.status, unchanged.text], [304, '']);
      const head = await latchkey.auth(path, { method: 'HEAD' });
      assert.deepEqual([head.status, head.headers.get('etag'), head.text], [200, etag, '']);
    });
  }

  test('OA-3 OA-4 OA-5 the metadata offers the code flow with S256, and neither the implicit nor the password grant', async () => {
    const { body } = await latchkey.auth('/.well-known/openid-configuration');
    assert.deepEqual(body.grant_types_supported.toSorted(), [
      'authorization_code',
      'client_credentials',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
      'urn:ietf:params:oauth:grant-type:token-exchange',
    ]);
    assert.deepEqual(body.response_types_supported, ['code']);
    assert.deepEqual(body.ui_locales_supported, ['en', 'de', 'fr', 'es', 'ja', 'zh', 'ar']);
    assert.ok(body.prompt_values_supported.includes('create'));
    assert.deepEqual(body.code_challenge_methods_supported, ['S256']);
    assert.equal(body.authorization_response_iss_parameter_supported, true);
    assert.deepEqual(body.subject_types_supported, ['public', 'pairwise']);
    assert.deepEqual(body.acr_values_supported, ['aal1', 'aal2']);
    assert.equal(body.request_uri_parameter_supported, false);
  });

  test('every endpoint the metadata names is served', async () => {
    const { body } = await latchkey.auth('/.well-known/openid-configuration');
    const offered = Object.entries<string>(body).filter(([name]) => name.endsWith('_endpoint'));
    assert.deepEqual(offered.map(([name]) => name).sort(), [
      'authorization_endpoint',
      'device_authorization_endpoint',
      'end_session_endpoint',
      'introspection_endpoint',
      'pushed_authorization_request_endpoint',
      'revocation_endpoint',
      'token_endpoint',
      'userinfo_endpoint',
    ]);
    for (const [name, address] of offered) {
      const { pathname } = new URL(address);
      const calls = [latchkey.auth(pathname), latchkey.auth(pathname, { body: new URLSearchParams() })];
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const responses = await Promise.all(calls);
      assert.ok(
        responses.some(({ status }) => status !== 404),
        name,
      );
    }
  });

  test('an error of an endpoint for programs is JSON, whatever they accept', async () => {
    // What Java's HttpURLConnection sends by itself.
    const headers = { accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2' };
    const paths = ['token', 'introspect', 'revoke', 'par', 'device_authorization', 'userinfo'];
    for (const path of paths) {
      const body = new URLSearchParams({ client_id: 'unknown', token: 'a' });
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await latchkey.auth(`/connect/${path}`, { headers, body });
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/, path);
      assert.equal(typeof response.body.error, 'string', path);
    }
  });

  test('a request whose error cannot be sent to the application is a page for people and JSON for programs', async () => {
    const page = await latchkey.auth('/connect/authorize?client_id=x', { headers: { accept: 'text/html' } });
    assert.equal(page.status, 400);
    assert.match(page.text, /<h1 id="title">Something went wrong<\/h1>/);
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    const { status, body } = await latchkey.auth('/connect/authorize?client_id=x', {
      headers: { accept: 'application/json' },
    });
    assert.deepEqual([status, body.error], [400, 'invalid_client']);
  });

  test('a new key is published immediately, signs from its time on, and tokens of the old one stay valid', async () => {
    const before = await managementToken(latchkey);
    const signsFrom = new Date(clock.now().getTime() + HOUR_MS / 2);
    const kid = await latchkey.inProject((tx) => createSigningKey(tx, 'ES256', signsFrom));
    await eventually(async () => {
      const { keys } = (await latchkey.auth('/connect/jwks')).body;
      assert.ok(keys.some((key: { kid: string }) => key.kid === kid));
    });
    assert.notEqual(decodeProtectedHeader(await managementToken(latchkey)).kid, kid);
    clock.advance(HOUR_MS / 2);
    const signed = await managementToken(latchkey);
    assert.equal(decodeProtectedHeader(signed).kid, kid);
    for (const token of [before, signed]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await latchkey.api('/v1/admin/roles', { token })).status, 200);
    }
  });

  test('a new key stays published despite requests while it is created', async () => {
    const kids = async () => (await latchkey.auth('/connect/jwks')).body.keys.map(({ kid }: { kid: string }) => kid);
    let made = false;
    const asking = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!made) {
          // biome-ignore lint/performance/noAwaitInLoops: as many as it takes
          await kids();
        }
      }),
    );
    const inAnHour = new Date(clock.now().getTime() + HOUR_MS);
    const kid = await latchkey.inProject((tx) => createSigningKey(tx, 'ES256', inAnHour));
    await eventually(async () => assert.ok((await kids()).includes(kid)));
    made = true;
    await asking;
    assert.ok((await kids()).includes(kid));
  });

  test('SE-2 a management token expires after its hour, by the server clock', async () => {
    const token = await managementToken(latchkey);
    assert.equal(decodeJwt(token).iat, Math.floor(clock.now().getTime() / 1000));
    clock.advance(HOUR_MS - 1_000);
    assert.equal((await latchkey.api('/v1/admin/roles', { token })).status, 200);
    clock.advance(1_000);
    expectProblem(await latchkey.api('/v1/admin/roles', { token }), 401, 'SESSION_EXPIRED');
  });
});

test('BI-4 while the database is down an unknown client gets a retry response in OAuth’s format', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-oidc-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const database = { dataDir: folder, port: 0, database: 'latchkey', progress: () => undefined };
  const postgres = await startEmbeddedPostgres(database);
  const latchkey = await startTestLatchkey({ databaseUrl: postgres.url });
  t.after(() => latchkey.stop());
  await managementToken(latchkey);
  await postgres.stop();
  await eventually(async () => assert.equal(latchkey.system.feed.live, false));
  const response = await requestManagementToken(latchkey);
  assert.deepEqual([response.status, response.body.error], [503, 'temporarily_unavailable'], response.text);
  assert.equal(response.headers.get('retry-after'), '1');
  assert.equal((await latchkey.auth('/connect/jwks')).status, 200);
});
