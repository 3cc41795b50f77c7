import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApplication } from '#applications';
import {
  expectProblem,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';

const ORIGIN = 'http://localhost:5173';
const FOREIGN = 'https://evil.example';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

function cookiesIn(response: TestResponse): string {
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
}

async function signIn(origin = ORIGIN): Promise<TestResponse> {
  const { email } = await register(latchkey);
  return latchkey.auth('/v1/auth/login/password', {
    body: { identifier: email, password: PASSWORD, cookies: true },
    headers: { origin },
  });
}

describe('sessions in cookies', () => {
  test('SE-5 tokens come in HttpOnly, SameSite=Strict cookies and nowhere in the body', async () => {
    const response = await signIn();
    assert.equal(response.status, 200, response.text);
    const cookies = response.headers.getSetCookie();
    assert.equal(cookies.length, 2);
    for (const cookie of cookies) {
      assert.match(cookie, /; Path=\/;/);
      assert.match(cookie, /; HttpOnly/);
      assert.match(cookie, /; SameSite=Strict/);
      assert.ok(!/; Domain=/i.test(cookie));
    }
    assert.ok(!/lkr_|eyJ/.test(response.text));
    assert.ok(response.body.session.id);
  });

  test('SE-5 under https the cookies are Secure and their names start with __Host-', async () => {
    const secure = await startTestLatchkey({
      settings: { LATCHKEY_TEST_AUTH_URL: 'https://auth.example.com' },
    });
    const { email, password } = secure.demo.environments.test.owner;
    const port = secure.system.config.ports.test.auth;
    const { request } = await import('node:http');
    const lines = await new Promise<string[]>((resolve, reject) => {
      const call = request(
        {
          port,
          host: '127.0.0.1',
          path: '/v1/auth/login/password',
          method: 'POST',
          headers: { host: 'auth.example.com', 'content-type': 'application/json', origin: ORIGIN },
        },
        (response) => {
          response.resume();
          resolve(response.headers['set-cookie'] ?? []);
        },
      );
      call.once('error', reject);
      call.end(JSON.stringify({ identifier: email, password, cookies: true }));
    });
    await secure.stop();
    assert.equal(lines.length, 2);
    for (const line of lines) assert.match(line, /^__Host-latchkey-test-(access|refresh)=.*; Secure/);
  });

  test('a page of another origin gets no cookies, and no session', async () => {
    expectProblem(await signIn(FOREIGN), 403, 'ORIGIN_NOT_ALLOWED');
  });

  test('the cookie suffices to read; a change must come from a page of the project, so that no other site can make it', async () => {
    const cookie = cookiesIn(await signIn());
    assert.equal((await latchkey.api('/v1/me/context', { headers: { cookie } })).status, 200);
    const change = (origin?: string) =>
      latchkey.api('/v1/me/profile', {
        method: 'PATCH',
        body: { displayName: 'New name' },
        headers: { cookie, ...(origin && { origin }) },
      });
    expectProblem(await change(), 403, 'ORIGIN_NOT_ALLOWED');
    expectProblem(await change(FOREIGN), 403, 'ORIGIN_NOT_ALLOWED');
    expectProblem(await change('null'), 403, 'ORIGIN_NOT_ALLOWED');
    assert.equal((await change(ORIGIN)).status, 200);
  });

  test('a page of another project cannot read with the cookie either', async () => {
    const cookie = cookiesIn(await signIn());
    const [, helpdesk] = latchkey.demo.projects;
    assert.ok(helpdesk);
    const theirs = 'http://localhost:5199';
    await latchkey.inProject((tx) => createApplication(tx, { kind: 'spa', name: 'Helpdesk', origins: [theirs] }), {
      projectId: helpdesk.id,
    });
    const read = (origin: string) => latchkey.api('/v1/me/context', { headers: { cookie, origin } });
    const refused = await read(theirs);
    assert.equal(refused.headers.get('access-control-allow-origin'), theirs, 'it may call for its own people');
    expectProblem(refused, 403, 'ORIGIN_NOT_ALLOWED');
    assert.equal((await read(ORIGIN)).status, 200);
  });

  test('refresh and logout work by cookie, from a page of the project only', async () => {
    const cookie = cookiesIn(await signIn());
    const refresh = (origin: string, sent = cookie) =>
      latchkey.auth('/v1/sessions/refresh', { body: {}, headers: { cookie: sent, origin } });
    expectProblem(await refresh(FOREIGN), 403, 'ORIGIN_NOT_ALLOWED');
    const renewed = await refresh(ORIGIN);
    assert.equal(renewed.status, 200, renewed.text);
    const fresh = cookiesIn(renewed);
    assert.notEqual(fresh, cookie);
    const out = await latchkey.auth('/v1/sessions/logout', { body: {}, headers: { cookie: fresh, origin: ORIGIN } });
    assert.equal(out.status, 204);
    assert.ok(out.headers.getSetCookie().every((line) => /=;/.test(line)));
    expectProblem(await latchkey.api('/v1/me/context', { headers: { cookie: fresh } }), 401, 'SESSION_REVOKED');
  });
});

describe('cross-origin requests', () => {
  const preflight = (origin: string, path = '/v1/me/profile') =>
    latchkey.api(path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'content-type' },
    });

  test('pages of the project’s applications may call, cookies included', async () => {
    const response = await preflight(ORIGIN);
    assert.equal(response.status, 204);
    assert.equal(response.headers.get('access-control-allow-origin'), ORIGIN);
    assert.equal(response.headers.get('access-control-allow-credentials'), 'true');
    assert.match(response.headers.get('access-control-allow-methods') ?? '', /PATCH/);
    assert.equal(response.headers.get('access-control-max-age'), '600');
    const allowed = (response.headers.get('access-control-allow-headers') ?? '').split(', ');
    for (const name of ['authorization', 'if-match', 'idempotency-key', 'x-correlation-id', 'traceparent'])
      assert.ok(allowed.includes(name), `${name}: the interface takes it`);
    assert.match(response.headers.get('access-control-expose-headers') ?? '', /\btraceparent\b/);
    const simple = await latchkey.auth('/v1/auth/methods', { headers: { origin: ORIGIN } });
    assert.equal(simple.headers.get('access-control-allow-origin'), ORIGIN);
    assert.match(simple.headers.get('vary') ?? '', /origin/i);
  });

  test('other pages may not', async () => {
    for (const origin of [FOREIGN, 'null', 'http://localhost:5174']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await preflight(origin);
      assert.equal(response.headers.get('access-control-allow-origin'), null, origin);
      const simple = await latchkey.auth('/v1/auth/methods', { headers: { origin } });
      assert.equal(simple.headers.get('access-control-allow-origin'), null, origin);
    }
  });

  test('the origin of a new application is allowed immediately', async () => {
    const origin = 'https://new.example';
    assert.equal((await preflight(origin)).headers.get('access-control-allow-origin'), null);
    await latchkey.inProject((tx) => createApplication(tx, { kind: 'spa', name: 'New', origins: [origin] }));
    const { eventually } = await import('#tests/harness.ts');
    await eventually(async () => {
      assert.equal((await preflight(origin)).headers.get('access-control-allow-origin'), origin);
    });
  });
});
