import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addAuthenticator, openBrowser } from '#tests/browser.ts';
import { bindHost, callAt, startDns, type TestDns } from '#tests/domains.ts';
import { startTestLatchkey, type TestLatchkey, type TestResponse } from '#tests/harness.ts';

const COMMON = 'auth.latchkey.example';
const HOST = 'login.shop.example';

let dns: TestDns;
let latchkey: TestLatchkey;
before(async () => {
  dns = await startDns();
  latchkey = await startTestLatchkey({
    settings: { LATCHKEY_DNS_SERVERS: dns.address, LATCHKEY_TEST_AUTH_URL: `https://${COMMON}` },
  });
  const { managementClientId, managementClientSecret } = latchkey.demo.environments.test;
  const { body } = await through(COMMON, '/connect/token', {
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      workspaceId: latchkey.demo.workspaceId,
      projectId: latchkey.demo.projects[0]?.id ?? '',
      environment: 'test',
      client_id: managementClientId,
      client_secret: managementClientSecret,
    }),
  });
  const bound = await bindHost(latchkey, dns, { host: HOST, token: body.access_token });
  assert.equal(bound.auth, `https://${HOST}`);
});
after(async () => {
  await latchkey.stop();
  dns.stop();
});

/** Calls the auth host as a proxy that ends TLS does. */
function through(
  host: string,
  path: string,
  { headers, ...call }: Parameters<typeof callAt>[2] = {},
): Promise<TestResponse> {
  return callAt(latchkey, `http://127.0.0.1:${latchkey.system.config.ports.test.auth}${path}`, {
    ...call,
    headers: { 'x-forwarded-host': host, 'x-forwarded-proto': 'https', ...headers },
  });
}

function login(fields: Record<string, unknown> = {}): Promise<TestResponse> {
  const { email: identifier, password } = latchkey.demo.environments.test.owner;
  const body = { identifier, password, ...fields };
  return through(HOST, '/v1/auth/login/password', { body, headers: { origin: `https://${HOST}` } });
}

describe('a custom domain behind a proxy that ends TLS', () => {
  test('is an https issuer whose cookies are bound to it', async () => {
    const { body } = await through(HOST, '/.well-known/openid-configuration');
    assert.equal(body.issuer, `https://${HOST}`);
    const response = await login({ cookies: true });
    const cookies = response.headers.getSetCookie();
    assert.equal(cookies.length, 2, response.text);
    for (const cookie of cookies) assert.match(cookie, /^__Host-latchkey-test-(access|refresh)=.*; Path=\/;.*Secure/);
    const brought = cookies.map((cookie) => cookie.split(';', 1)[0]).join('; ');
    const out = (origin: string) =>
      through(HOST, '/v1/sessions/logout', { body: {}, headers: { cookie: brought, origin } });
    assert.equal((await out(`https://${COMMON}`)).status, 403, 'cookies of the host are not for another’s pages');
    assert.equal((await out(`https://${HOST}`)).status, 204);
  });

  test('a passkey created on its pages signs in there', async () => {
    const chromium = await openBrowser();
    try {
      const page = await (await chromium.newContext()).newPage();
      // Only the origin of the page matters.
      await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
      await page.goto(`https://${HOST}/`);
      await addAuthenticator(page);
      const { body: session } = await login();
      const call = (path: string, body: object) =>
        latchkey.api(`/v1/me/security/passkeys${path}`, { token: session.access_token, body });
      const { body: begun } = await call('/options', {});
      assert.equal(begun.options.rp.id, HOST);
      const made = await page.evaluate(async (json) => {
        const { PublicKeyCredential: type, navigator: own } = Object(globalThis);
        return (await own.credentials.create({ publicKey: type.parseCreationOptionsFromJSON(json) })).toJSON();
      }, begun.options);
      const added = await call('', { flowId: begun.flowId, response: made });
      assert.equal(added.status, 201, added.text);
      const { body: asked } = await through(HOST, '/v1/auth/login/passkey/options', { body: {} });
      const used = await page.evaluate(async (json) => {
        const { PublicKeyCredential: type, navigator: own } = Object(globalThis);
        return (await own.credentials.get({ publicKey: type.parseRequestOptionsFromJSON(json) })).toJSON();
      }, asked.options);
      const body = { flowId: asked.flowId, response: used };
      const entered = await through(HOST, '/v1/auth/login/passkey/verify', { body });
      assert.deepEqual([entered.status, entered.body.session?.userId], [200, session.session.userId], entered.text);
    } finally {
      await chromium.close();
    }
  });
});
