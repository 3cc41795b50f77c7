import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { createApplication } from '#applications';
import { visitorOf } from '#tests/account.ts';
import {
  expectProblem,
  managementToken,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { browserOf, codeFlow } from '#tests/oidc.ts';
import { operationsIn } from '#tests/operations.ts';

const OWN = 'http://localhost:5173';
/** The origin of an application of the workspace's second project. */
const SIBLING = 'http://localhost:7777';
const STRANGER = 'https://evil.example';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
  const [, second] = latchkey.demo.projects;
  assert.ok(second);
  await latchkey.inProject((tx) => createApplication(tx, { kind: 'spa', name: 'Neighbour', origins: [SIBLING] }), {
    projectId: second.id,
  });
});
after(() => latchkey.stop());

/** The rows of a table of the documentation, cells without markup. */
function documented(name: string): string[][] {
  const page = readFileSync(new URL('../../../docs/security-model.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split(`<!-- table: ${name} -->`);
  const rows = table.split('<!-- /table -->')[0]?.trim().split('\n').slice(2) ?? [];
  assert.ok(rows.length > 0, `docs/security-model.md has the table ${name}`);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const quoted = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

/** The CORS headers that a browser gets for a page of this origin. */
async function asked(path: string, origin: string, method = 'GET') {
  const headers = { origin, 'access-control-request-method': method };
  const { headers: told } = await latchkey.auth(path, { method: 'OPTIONS', headers });
  const { headers: answered } = await latchkey.auth(path, { method, headers: { origin } });
  return [told, answered].map((response) => ({
    origin: response.get('access-control-allow-origin'),
    credentials: response.get('access-control-allow-credentials'),
  }));
}

/** The documented CORS rule of a path. */
type Rule = { origins: Record<string, string | null>; credentials: string | null };
const RULES: Record<string, Rule> = {
  applications: { origins: { [OWN]: OWN, [SIBLING]: SIBLING, [STRANGER]: null }, credentials: 'true' },
  everybody: { origins: { [OWN]: '*', [SIBLING]: '*', [STRANGER]: '*' }, credentials: null },
  nobody: { origins: { [OWN]: null, [SIBLING]: null, [STRANGER]: null }, credentials: null },
};

async function expectShared(path: string, rule: Rule | undefined): Promise<void> {
  for (const [origin, allowed] of Object.entries(rule?.origins ?? {})) {
    for (const told of await asked(path, origin)) {
      const credentials = allowed === null ? null : rule?.credentials;
      assert.deepEqual(told, { origin: allowed, credentials }, `${path} for ${origin}`);
    }
  }
}

describe('pages of other origins', () => {
  test('no page of another origin can read a page of a signed-in person, not even an application’s', async () => {
    const { browser } = await visitorOf(latchkey, '');
    const cookie = [...browser.cookies.values()].flatMap((jar) => [...jar].map((pair) => pair.join('='))).join('; ');
    const pages = [
      '/account',
      '/account/security',
      '/account/data/export',
      '/account/authenticator',
      '/account/passkeys',
    ];
    for (const path of [
      ...pages,
      '/sign-in/x',
      '/link/verify',
      '/connect/authorize',
      '/connect/logout',
      '/connect/device',
    ])
      for (const origin of [OWN, SIBLING, STRANGER]) {
        // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
        const { headers } = await latchkey.auth(path, { headers: { origin, cookie, accept: 'text/html' } });
        for (const name of ['access-control-allow-origin', 'access-control-allow-credentials'])
          assert.equal(headers.get(name), null, `${path} for ${origin}`);
      }
  });

  test('each path allows the origins, and the credentials, that the documentation says', async () => {
    const rows = documented('shared-paths').map(([paths, pages = '']) => ({
      rule: RULES[pages],
      paths: quoted(paths),
    }));
    // The provider decides by the calling client, which the next test covers.
    for (const { rule, paths } of rows.filter(({ rule }) => rule !== undefined)) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      await Promise.all(paths.map((path) => expectShared(path.replace('*', EXAMPLES[path] ?? ''), rule)));
    }
  });

  test('the token endpoint allows pages of the calling application only, and no credentials', async () => {
    const { clientId } = latchkey.demo.environments.test;
    const ask = (origin: string) =>
      latchkey.auth('/connect/token', {
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id: clientId,
          code: 'x',
          code_verifier: 'x'.repeat(43),
          redirect_uri: `${OWN}/callback`,
        }),
        headers: { origin },
      });
    const own = await ask(OWN);
    assert.equal(own.headers.get('access-control-allow-origin'), OWN);
    assert.equal(own.headers.get('access-control-allow-credentials'), null);
    assert.equal(own.body.error, 'invalid_grant');
    for (const origin of [SIBLING, STRANGER]) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const other = await ask(origin);
      assert.deepEqual([other.body.error, other.headers.get('access-control-allow-origin')], ['invalid_request', null]);
    }
  });

  test('a browser may send a DPoP proof and read the requested nonce', async () => {
    const headers = { origin: OWN, 'access-control-request-method': 'POST', 'access-control-request-headers': 'dpop' };
    for (const path of ['/v1/sessions/switch-context', '/connect/token', '/connect/par', '/connect/userinfo']) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const told = await latchkey.auth(path, { method: 'OPTIONS', headers });
      assert.match(told.headers.get('access-control-allow-headers') ?? '', /\bdpop\b/, path);
      const response = await latchkey.auth(path, { method: 'POST', headers: { origin: OWN } });
      assert.match(response.headers.get('access-control-expose-headers') ?? '', /\bdpop-nonce\b/i, path);
    }
  });

  test('the exposed headers of the interface are exposed at the token endpoint, too', async () => {
    const response = await latchkey.auth('/connect/token', { method: 'POST', headers: { origin: OWN } });
    for (const name of ['x-correlation-id', 'traceparent', 'retry-after', 'www-authenticate'])
      assert.ok(response.headers.get('access-control-expose-headers')?.toLowerCase().includes(name), name);
  });
});

/** An example path for each pattern of the documentation. */
const EXAMPLES: Record<string, string> = {
  '/v1/*': 'auth/methods',
  '/api/status/*': 'summary',
  '/api/v2/*': 'summary.json',
  '/account/*': 'security',
  '/sign-in/*': 'x',
  '/link/*': 'verify',
};

describe('cache and browser headers', () => {
  const isPublic = (path: string) =>
    documented('public-documents').some(([paths]) =>
      quoted(paths).some((pattern) => new RegExp(`^${RegExp.escape(pattern).replace('\\*', '.*')}$`).test(path)),
    );
  const expectHeaders = (path: string, { status, headers }: Pick<TestResponse, 'status' | 'headers'>) => {
    const kept = headers.get('cache-control') ?? '';
    assert.equal(headers.get('x-content-type-options'), 'nosniff', `${path} ${status}`);
    if (!isPublic(path) || status >= 400) assert.match(kept, /\bno-store\b/, `${path} ${status}`);
    else assert.match(kept, /^public, /, `${path} ${status}`);
  };

  test('every operation of every host forbids caching, unless it is public', async () => {
    const { access_token: token } = await register(latchkey);
    const hosts = { auth: latchkey.auth, api: latchkey.api, console: latchkey.console };
    let walked = 0;
    for (const [host, call] of Object.entries(hosts)) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const document = (await call('/openapi.json')).body;
      for (const { method, path } of operationsIn(document, {})) {
        walked += 1;
        if (path.includes('{')) assert.fail(path);
        // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
        expectHeaders(path, await call(path, { method, ...(host === 'api' && { token }) }));
      }
    }
    assert.ok(walked > 200, `${walked} operations`);
  });

  test('tokens, secrets and profiles are not cached', async () => {
    const email = newEmail();
    const begun = await latchkey.auth('/v1/auth/register', { body: { email, password: PASSWORD } });
    const { access_token: token, refresh_token } = begun.body;
    const login = await latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD } });
    const responses: Record<string, TestResponse> = {
      register: begun,
      login,
      refresh: await latchkey.auth('/v1/sessions/refresh', { body: { refresh_token } }),
      profile: await latchkey.api('/v1/me/profile', { token }),
      sessions: await latchkey.api('/v1/me/security/sessions', { token }),
      export: await latchkey.api('/v1/me/profile/export', { token }),
      roles: await latchkey.api('/v1/admin/roles', { token: await managementToken(latchkey) }),
    };
    for (const [what, response] of Object.entries(responses)) {
      assert.equal(response.status, 200, `${what}: ${response.text}`);
      expectHeaders(what, response);
    }
  });

  test('pages of the provider library run one known script, and can be neither framed nor cached', async () => {
    const { email } = await register(latchkey);
    const flow = await codeFlow(latchkey, { response_mode: 'form_post' });
    const browser = browserOf(latchkey);
    const question = await browser.open(flow.url);
    const { text } = await browser.submit(question, { identifier: email, password: PASSWORD });
    assert.match(text, /Submitting Callback/, 'the page that posts the code to the application');
    const cookie = [...browser.cookies.values()].flatMap((jar) => [...jar].map((pair) => pair.join('='))).join('; ');
    const paths = [flow.url, '/connect/logout', '/connect/device', '/connect/authorize/x', '/connect/logout/success'];
    const { auth } = latchkey.system.config.addresses.test;
    for (const path of paths) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const response = await latchkey.auth(path.replace(auth, ''), { headers: { cookie, accept: 'text/html' } });
      const policy = response.headers.get('content-security-policy') ?? '';
      for (const part of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
        assert.ok(policy.includes(part), `${path}: ${policy}`);
      const scripts = [...response.text.matchAll(/<script>([\s\S]*?)<\/script>/g)];
      const hash = /script-src 'sha256-[A-Za-z0-9+/=]{44}'/.test(policy);
      assert.equal(hash, scripts.length === 1, `${path}: ${policy}`);
      assert.ok(!policy.includes('unsafe-inline'), path);
      assert.equal(response.headers.get('x-frame-options'), 'DENY', path);
      assert.equal(response.headers.get('referrer-policy'), 'no-referrer', path);
      expectHeaders(path, response);
    }
  });
});

/**
 * Sends raw bytes to the auth host.
 * @returns everything received before the connection ends
 */
function bytes(text: string): Promise<{ status: number; headers: string; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(latchkey.system.config.ports.test.auth, '127.0.0.1', () => socket.write(text));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const [headers = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
      resolve({ status: Number(headers.split(' ')[1]), headers, body });
    });
  });
}

const METADATA = '/.well-known/openid-configuration';

describe('malformed HTTP requests', () => {
  const lines = (...all: string[]) => `${all.join('\r\n')}\r\nConnection: close\r\n\r\n`;
  const own = () => `Host: localhost:${latchkey.system.config.ports.test.auth}`;

  test('a request with two hosts, or none, is refused, also if the response is prepared in advance', async () => {
    for (const path of [METADATA, '/api/status/summary', '/v1/auth/methods', '/sign-in/x'])
      for (const hosts of [[own(), 'Host: evil.example'], [own(), own()], ['Host: evil.example', own()], []]) {
        // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
        const { status, headers, body } = await bytes(lines(`GET ${path} HTTP/1.1`, ...hosts));
        assert.deepEqual([status, JSON.parse(body).errorCode], [400, 'MALFORMED_REQUEST'], `${path} ${hosts.join()}`);
        assert.match(headers, /content-type: application\/problem\+json/i);
      }
    assert.equal((await bytes(lines(`GET ${METADATA} HTTP/1.1`, own()))).status, 200);
  });

  test('a request that the parser rejects gets a problem document', async () => {
    const cases: [text: string, status: number, code: string][] = [
      ['not http at all\r\n\r\n', 400, 'MALFORMED_REQUEST'],
      [
        lines(`GET ${METADATA} HTTP/1.1`, own(), 'Content-Length: 1', 'Transfer-Encoding: chunked'),
        400,
        'MALFORMED_REQUEST',
      ],
      [lines(`GET ${METADATA} HTTP/1.1`, own(), 'bad header: x'), 400, 'MALFORMED_REQUEST'],
      [lines(`GET ${METADATA} HTTP/1.1`, own(), `Cookie: ${'x'.repeat(20_000)}`), 431, 'HEADERS_TOO_LARGE'],
    ];
    for (const [text, status, code] of cases) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const response = await bytes(text);
      const found = JSON.parse(response.body);
      assert.deepEqual([response.status, found.status, found.errorCode], [status, status, code], text.slice(0, 80));
      assert.match(response.headers, /content-type: application\/problem\+json/);
      assert.match(response.headers, /cache-control: no-store/);
      assert.match(found.traceId, /^[0-9a-f]{32}$/);
      const page = await fetch(found.type);
      assert.match(await page.text(), new RegExp(code), 'its type leads to a page');
    }
  });

  test('an unsupported method gets 405 with the supported ones; 404 is for unknown paths', async () => {
    const cases: [method: string, path: string, allow: string][] = [
      ['GET', '/connect/token', 'OPTIONS, POST'],
      ['DELETE', '/v1/auth/login/password', 'POST'],
      ['POST', '/v1/auth/methods', 'GET, HEAD'],
      ['QUERY', '/v1/auth/methods', 'GET, HEAD'],
      ['PROPFIND', '/account/security', 'GET, HEAD'],
      ['OPTIONS', '/v1/auth/methods', 'GET, HEAD'],
      ['PUT', METADATA, 'GET, HEAD'],
      ['PATCH', '/nowhere', ''],
    ];
    for (const [method, path, allow] of cases) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const response = await latchkey.auth(path, { method });
      expectProblem(response, allow ? 405 : 404, allow ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND');
      assert.equal(response.headers.get('allow') ?? '', allow, `${method} ${path}`);
    }
    const token = await managementToken(latchkey);
    const members = await latchkey.api('/v1/admin/members', { method: 'PUT', token, body: {} });
    expectProblem(members, 405, 'METHOD_NOT_ALLOWED');
    assert.equal(members.headers.get('allow'), 'GET, HEAD, POST');
    expectProblem(await latchkey.api('/v1/admin/nothing', { method: 'PUT', token }), 404, 'NOT_FOUND');
  });

  test('a correlation id of up to 200 printable characters is returned unchanged; any other is replaced', async () => {
    const back = async (id: string) =>
      (await latchkey.api('/nowhere', { headers: { 'x-correlation-id': id } })).headers.get('x-correlation-id');
    const kept = ['{3F2504E0-4F89-41D3-9A0C-0305E82C3301}', 'order 4711 / <b>"\'~!', 'x'.repeat(200)];
    assert.deepEqual(await Promise.all(kept.map(back)), kept);
    for (const made of await Promise.all(['', 'x'.repeat(201), 'caf\u00e9', 'a\tb'].map(back)))
      assert.match(made ?? '', /^[0-9a-f]{32}$/);
  });
});

describe('the source of a request', () => {
  const CASES: Record<string, string | null> = {
    '203.0.113.7': '203.0.113.7',
    '203.0.113.7:8080': '203.0.113.7',
    '2001:db8::7': '2001:db8::7',
    '[2001:db8::7]': '2001:db8::7',
    '[2001:DB8:0:0::7]:443': '2001:db8::7',
    '::ffff:203.0.113.7': '203.0.113.7',
    '[::ffff:203.0.113.7]:80': '203.0.113.7',
    'fe80::1%eth0': 'fe80::1',
    '198.51.100.1, 203.0.113.7:80': '203.0.113.7',
    '203.0.113.9, 127.0.0.1:5000': '203.0.113.9',
    unknown: null,
    '_hidden:80': null,
    '203.0.113.7:port': null,
    '0x7f.1': null,
    '1.2.3.4.5': null,
    "1'; drop table users --": null,
  };
  for (const [header, source] of Object.entries(CASES))
    test(`a trusted proxy that writes "${header}" names ${source ?? 'no source, which is not an error'}`, async () => {
      const email = newEmail();
      const headers = { 'x-forwarded-for': header };
      const begun = await latchkey.auth('/v1/auth/register', { body: { email, password: PASSWORD }, headers });
      assert.equal(begun.status, 200, begun.text);
      const wrong = { identifier: email, password: 'not the password' };
      expectProblem(
        await latchkey.auth('/v1/auth/login/password', { body: wrong, headers }),
        401,
        'INVALID_CREDENTIALS',
      );
      const { rows } = await latchkey.system.pool.query('select host(ip) as ip from sessions where id = $1', [
        begun.body.session.id,
      ]);
      assert.equal(rows[0]?.ip ?? null, source);
    });
});
