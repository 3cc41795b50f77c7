import assert from 'node:assert/strict';
import { request as send } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { eventually, expectProblem, PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ own: 'counts the rows of whole tables' });
});
after(() => latchkey.stop());

/** Sends raw bytes with a Host header of choice. */
function raw(options: {
  port: number;
  path: string;
  host?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: Uint8Array | string;
}): Promise<{ status: number; body: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const request = send(
      {
        host: '127.0.0.1',
        port: options.port,
        path: options.path,
        method: options.method ?? 'GET',
        headers: { host: options.host ?? `localhost:${options.port}`, ...options.headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(chunks).toString(),
            headers: response.headers,
          }),
        );
      },
    );
    request.on('error', reject);
    request.end(options.body);
  });
}

describe('hosts', () => {
  test('421 for an unknown Host says what was received and what is configured', async () => {
    const { api } = latchkey.system.config.ports.test;
    const { status, body } = await raw({ port: api, path: '/v1/me/context', host: 'evil.example' });
    const found = JSON.parse(body);
    assert.deepEqual([status, found.errorCode], [421, 'UNKNOWN_HOST']);
    assert.ok(
      found.detail.includes('evil.example') && found.detail.includes(latchkey.system.config.addresses.test.api),
    );
    assert.equal((await raw({ port: api, path: '/api/status/summary', host: `127.0.0.1:${api}` })).status, 200);
  });

  test('404 for a path of another host names the right one', async () => {
    const onAuth = await latchkey.auth('/v1/me/context');
    expectProblem(onAuth, 404, 'NOT_FOUND');
    assert.match(onAuth.body.detail, new RegExp(`API host: ${latchkey.demo.environments.test.apiUrl}`));
    const onApi = await latchkey.api('/connect/token', { method: 'POST' });
    assert.match(onApi.body.detail, new RegExp(`auth host: ${latchkey.demo.environments.test.authUrl}`));
    expectProblem(await latchkey.api('/nowhere'), 404, 'NOT_FOUND');
  });

  test('400 CONSOLE_HEADER_NOT_ALLOWED for each console header on a customer host', async () => {
    for (const name of ['X-Workspace-Id', 'X-Project-Id', 'X-Tenant-Id', 'X-Environment']) {
      for (const response of await Promise.all([
        latchkey.auth('/v1/auth/methods', { headers: { [name]: 'x' } }),
        latchkey.api('/v1/me/context', { headers: { [name]: 'x' } }),
      ]))
        expectProblem(response, 400, 'CONSOLE_HEADER_NOT_ALLOWED');
    }
  });

  test('correlation and trace ids are accepted, created and returned', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const given = await latchkey.api('/nowhere', {
      headers: { 'x-correlation-id': 'order-4711', traceparent: `00-${trace}-00f067aa0ba902b7-01` },
    });
    assert.equal(given.headers.get('x-correlation-id'), 'order-4711');
    assert.equal(given.body.traceId, trace);
    assert.match(given.headers.get('traceparent') ?? '', new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    for (const bad of ['', 'x'.repeat(201), 'a\tb']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const made = await latchkey.api('/nowhere', { headers: { 'x-correlation-id': bad, traceparent: 'nonsense' } });
      assert.match(made.headers.get('x-correlation-id') ?? '', /^[0-9a-f]{32}$/);
      assert.match(made.body.traceId, /^[0-9a-f]{32}$/);
    }
  });

  test('the type of every problem leads to a page', async () => {
    const { body } = await latchkey.api('/v1/me/context');
    const page = await fetch(body.type, { headers: { accept: 'text/html' } });
    assert.equal(page.status, 200);
    assert.match(await page.text(), /AUTHENTICATION_REQUIRED/);
    expectProblem(await latchkey.api('/problems/no-such-code'), 404, 'NOT_FOUND');
  });

  test('every host has an OpenAPI 3.1 description, and leads to the reference of the documentation', async () => {
    const reference = `${latchkey.system.config.addresses.console}/docs/reference/`;
    for (const call of [latchkey.auth, latchkey.api, latchkey.console]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { body } = await call('/openapi.json');
      assert.equal(body.openapi, '3.1.0');
      assert.ok(Object.keys(body.paths).length > 0);
      const { status, headers } = await call('/reference');
      assert.deepEqual([status, headers.get('location')], [303, reference]);
    }
  });

  test('OpenAPI says which bodies may be absent, and what the public keys are', async () => {
    const { paths } = (await latchkey.auth('/openapi.json')).body;
    assert.equal(paths['/v1/auth/login/passkey/options'].post.requestBody.required, false);
    assert.equal(paths['/v1/auth/login/password'].post.requestBody.required, true);
    const keys = await latchkey.auth('/connect/jwks');
    const [type = ''] = (keys.headers.get('content-type') ?? '').split(';');
    assert.deepEqual(Object.keys(paths['/connect/jwks'].get.responses[200].content), [type]);
    const callback = paths['/v1/auth/login/social/{provider}/callback'];
    assert.deepEqual(
      callback.get.parameters.map(({ name }: { name: string }) => name),
      ['provider'],
    );
    assert.equal(callback.post.requestBody.required, false);
  });

  test('health and metrics are on the internal port only', async () => {
    const internal = `http://127.0.0.1:${latchkey.system.config.ports.internal}`;
    assert.deepEqual(await (await fetch(`${internal}/healthz`)).json(), { status: 'ok' });
    await eventually(async () => assert.equal((await fetch(`${internal}/readyz`)).status, 200));
    assert.match(await (await fetch(`${internal}/metrics`)).text(), /latchkey_http_request_duration_seconds_bucket/);
    expectProblem(await latchkey.api('/metrics'), 404, 'NOT_FOUND');
  });
});

describe('bad input', () => {
  const LOGIN = '/v1/auth/login/password';
  const post = (body: Uint8Array | string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    raw({ port: latchkey.system.config.ports.test.auth, path: LOGIN, method: 'POST', headers, body });
  const expectCode = (response: { status: number; body: string }, status: number, code: string, what: string) => {
    assert.deepEqual([response.status, JSON.parse(response.body).errorCode], [status, code], what);
  };

  test('BI-1 a body that is not JSON in UTF-8 is 400', async () => {
    const bad: Record<string, Uint8Array | string> = {
      'cut JSON': '{"identifier":',
      'no JSON': 'identifier=x',
      'bad UTF-8': Buffer.concat([
        Buffer.from('{"identifier":"a'),
        Buffer.from([0xc3, 0x28]),
        Buffer.from('","password":"x"}'),
      ]),
      'a NUL escape': '{"identifier":"a\\u0000b","password":"x"}',
      'a raw NUL': '{"identifier":"a\0b","password":"x"}',
      'a half of a pair': '{"identifier":"\\ud83dx","password":"x"}',
      'the other half': '{"identifier":"x\\uDE00","password":"x"}',
      'halves apart': '{"identifier":"\\ud83d\\\\\\ude00","password":"x"}',
      'a prototype': '{"__proto__":{"admin":true},"identifier":"a","password":"x"}',
      'deep nesting': `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
      'deep objects': `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
      'an array': '[]',
      'a string': '"x"',
      null: 'null',
    };
    for (const [what, body] of Object.entries(bad)) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectCode(await post(body), 400, 'VALIDATION_FAILED', what);
    }
  });

  test('BI-1 valid characters are accepted, however they are encoded', async () => {
    const written = ['\\ud83d\\ude00', '\\\\ud83d', '\\\\u0000', '\\u00e4'];
    const responses = await Promise.all(
      written.map((identifier) => post(`{"identifier":"${identifier}","password":"x"}`)),
    );
    for (const [index, response] of responses.entries())
      expectCode(response, 401, 'INVALID_CREDENTIALS', written[index] ?? '');
  });

  test('BI-1 unknown fields and wrong types are named, never coerced or dropped', async () => {
    const valid = { identifier: 'nobody@example.com', password: PASSWORD };
    const bad: [string, Record<string, unknown>, string][] = [
      ['an unknown field', { ...valid, admin: true }, '/body/admin'],
      ['a number for a string', { ...valid, password: 12345 }, '/body/password'],
      ['null for a string', { ...valid, identifier: null }, '/body/identifier'],
      ['a list for a string', { ...valid, identifier: ['a'] }, '/body/identifier'],
      ['a missing field', { identifier: 'a' }, '/body/password'],
      ['too long a string', { ...valid, password: 'x'.repeat(1_025) }, '/body/password'],
      [
        'an id of another kind',
        { ...valid, workspaceId: 'prj_01kaz3w9hqf8p9n2m4v5x6y7z8', projectId: 'prj_01kaz3w9hqf8p9n2m4v5x6y7z8' },
        '/body/workspaceId',
      ],
    ];
    for (const [what, body, pointer] of bad) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await post(JSON.stringify(body));
      expectCode(response, 400, 'VALIDATION_FAILED', what);
      assert.ok(
        JSON.parse(response.body).errors.some((fault: { pointer: string }) => fault.pointer === pointer),
        `${what}: ${response.body}`,
      );
    }
  });

  test('BI-1 a body over one MiB is 413, another media type 415', async () => {
    expectCode(
      await post(JSON.stringify({ identifier: 'a', password: 'x'.repeat(1_048_577) })),
      413,
      'PAYLOAD_TOO_LARGE',
      'large',
    );
    expectCode(await post('<x/>', { 'content-type': 'application/xml' }), 415, 'UNSUPPORTED_MEDIA_TYPE', 'xml');
    expectCode(
      await post('a=b', { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      'form',
    );
  });

  test('BI-1 bad paths, queries and form bodies are never 500', async () => {
    const { auth, api } = latchkey.system.config.ports.test;
    const { access_token } = await register(latchkey);
    const headers = { authorization: `Bearer ${access_token}` };
    const paths = [
      '/v1/me/memberships?limit=%00',
      '/v1/me/memberships?cursor=%FF%FE',
      '/v1/admin/members/%00',
      '/v1/admin/members/%E0%A4%A',
      `/v1/admin/members/${'x'.repeat(5_000)}`,
      '/%',
      '/v1/me/memberships?limit=1&limit=2',
      '/v1/me/memberships?limit[]=1',
      '//',
      '/..%2f..%2fetc/passwd',
    ];
    for (const path of paths) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await raw({ port: api, path, headers });
      assert.ok(response.status >= 400 && response.status < 500, `${path}: ${response.status}`);
      assert.match(String(response.headers['content-type']), /application\/problem\+json/, path);
    }
    for (const body of [
      'grant_type=%00',
      'grant_type=client_credentials&client_id=%00&client_secret=x',
      'a'.repeat(100_000),
      '%E0%A4%A',
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const result = await raw({
        port: auth,
        path: '/connect/token',
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
      });
      assert.ok(result.status >= 400 && result.status < 500, `${body.slice(0, 60)}: ${result.status} ${result.body}`);
    }
  });

  test('BI-1 nothing of a refused registration is written', async () => {
    const count = async () =>
      (
        await latchkey.system.pool.query(
          'select (select count(*) from users) + (select count(*) from events) + (select count(*) from messages) as count',
        )
      ).rows[0].count;
    const before = await count();
    for (const body of [
      { email: 'a@b.example', password: PASSWORD, extra: 1 },
      { email: 'no address', password: PASSWORD },
      { email: 'a@b.example', password: 'short' },
      {},
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await latchkey.auth('/v1/auth/register', { body })).status, 400);
    }
    assert.equal(await count(), before);
  });
});
