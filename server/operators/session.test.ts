import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { expectProblem, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';
import { type Operator, operatorOf, signInOperator } from '#tests/operators.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
let operator: Operator;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  operator = await signInOperator(latchkey);
});
after(() => latchkey.stop());

const SESSION = '/console/v1/session';

describe('the session of an operator', () => {
  test('starts through our own provider, and names the operator and their permissions', async () => {
    const { status, body, text } = await operator.call(SESSION);
    assert.equal(status, 200, text);
    assert.equal(body.operator.email, latchkey.demo.operator.email);
    assert.deepEqual(
      body.workspaces.map(({ name, role }: { name: string; role: string }) => [name, role]),
      [
        ['Demo', 'owner'],
        ['Latchkey', 'owner'],
      ],
    );
    assert.ok(body.workspaces[0].permissions.includes('members:write'));
    assert.equal((await operator.call('/console/v1/status/components', { body: {} })).status, 400);
    assert.deepEqual(body.installation.permissions, [
      'workspaces:create',
      'status:write',
      'backups:read',
      'backfills:read',
    ]);
  });

  test('serves the admin routes in the scope of the headers', async () => {
    const members = await operator.call('/console/v1/members');
    assert.equal(members.status, 200, members.text);
    assert.deepEqual(
      members.body.items.map(({ email }: { email: string }) => email),
      [latchkey.demo.environments.test.owner.email],
    );
    const role = await operator.call('/console/v1/roles', {
      body: { key: 'clerk', name: 'Clerk', permissions: ['members:read'] },
    });
    assert.equal(role.status, 201, role.text);
    const elsewhere = await operator.call('/console/v1/roles', { headers: { 'x-environment': 'production' } });
    assert.ok(!elsewhere.text.includes('clerk'));
    const { rows } = await latchkey.system.pool.query(`select actor from events where type = 'role.created'`);
    assert.deepEqual(rows, [
      { actor: { kind: 'operator', userId: (await operator.call(SESSION)).body.operator.userId } },
    ]);
  });

  test('two operators change the same record: the second gets an error, and nothing is overwritten', async () => {
    const path = '/console/v1/settings';
    const { headers, body } = await operator.call(path);
    const seen = headers.get('etag') ?? '';
    assert.match(seen, /^"/);
    const change = (changes: object, etag: string) =>
      operator.call(path, { method: 'PATCH', body: changes, headers: { 'if-match': etag } });
    const first = await change({ passwordMinLength: body.passwordMinLength + 1 }, seen);
    assert.equal(first.status, 200, first.text);
    expectProblem(await change({ passwordMinLength: 30 }, seen), 412, 'PRECONDITION_FAILED');
    assert.equal((await operator.call(path)).body.passwordMinLength, body.passwordMinLength + 1);
    assert.equal(
      (await change({ passwordMinLength: body.passwordMinLength }, first.headers.get('etag') ?? '')).status,
      200,
    );
    const workspace = (await operator.call('/console/v1/workspace')).headers.get('etag') ?? '';
    const renamed = await operator.call('/console/v1/workspace', {
      method: 'PATCH',
      body: { name: 'Demo' },
      headers: { 'if-match': workspace },
    });
    assert.equal(renamed.status, 200, renamed.text);
    const { id } = (await operator.call('/console/v1/members')).body.items[0];
    const stale = await operator.call(`/console/v1/members/${id}/roles`, {
      method: 'PUT',
      body: { roles: [] },
      headers: { 'if-match': '"older"' },
    });
    expectProblem(stale, 412, 'PRECONDITION_FAILED');
  });

  test('a repeated POST with its key happens once', async () => {
    const add = () =>
      operator.call('/console/v1/projects', {
        body: { name: 'Once' },
        headers: { 'idempotency-key': 'once', 'x-correlation-id': 'once' },
      });
    const [first, second] = [await add(), await add()];
    assert.deepEqual([first.status, second.status, second.body.id], [201, 201, first.body.id]);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    const { body } = await operator.call('/console/v1/projects?q=Once');
    assert.equal(body.items.length, 1);
  });

  test('the headers of the scope are checked', async () => {
    const without = (name: string) => operator.call('/console/v1/members', { headers: { [name]: undefined } });
    for (const name of ['x-workspace-id', 'x-project-id', 'x-environment']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await without(name), 400, 'CONTEXT_REQUIRED');
    }
    const as = (headers: Record<string, string>) => operator.call('/console/v1/members', { headers });
    expectProblem(await as({ 'x-workspace-id': 'wrk_01kaz3w9hqf8p9n2m4v5x6y7z8' }), 403, 'MEMBERSHIP_REQUIRED');
    expectProblem(await as({ 'x-workspace-id': 'nonsense' }), 403, 'MEMBERSHIP_REQUIRED');
    expectProblem(await as({ 'x-project-id': 'prj_01kaz3w9hqf8p9n2m4v5x6y7z8' }), 404, 'NOT_FOUND');
    expectProblem(await as({ 'x-environment': 'staging' }), 400, 'CONTEXT_REQUIRED');
  });

  test('a change from another page, or without the CSRF token, is refused', async () => {
    const change = (headers: Record<string, string | undefined>) =>
      operator.call('/console/v1/roles', { body: { key: 'reporters', name: 'Reporters', permissions: [] }, headers });
    const { auth } = latchkey.system.config.addresses.test;
    for (const origin of [undefined, 'https://evil.example', 'null', auth]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await change({ origin }), 403, 'ORIGIN_NOT_ALLOWED');
    }
    const other = await signInOperator(latchkey);
    const { csrfToken } = (await other.call(SESSION)).body;
    for (const token of [undefined, '', 'x'.repeat(43), csrfToken]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await change({ 'x-csrf-token': token }), 403, 'CSRF_TOKEN_INVALID');
    }
    const own = await change({});
    assert.equal(own.status, 201, `nothing else was wrong with it: ${own.text}`);
  });

  test('its cookie is out of reach of scripts and other sites', async () => {
    const { console } = latchkey.system.config.addresses;
    const browser = browserOf(latchkey);
    const page = await browser.open(`${console}/console/v1/sign-in`);
    assert.match(page.url, /\/sign-in\//);
    const response = await fetch(`${console}/console/v1/sign-in`, { redirect: 'manual' });
    assert.match(response.headers.getSetCookie().join(), /latchkey-console-sign-in=.*HttpOnly; SameSite=Lax/);
    assert.equal((await latchkey.console('/console/v1/sign-in?returnTo=//evil.example')).status, 400);
    const stray = await latchkey.console('/console/v1/sign-in/callback?code=x&state=y');
    assert.equal(stray.status, 400);
    assert.match(stray.text, /Try again/);
  });

  test('ends by signing out, here and at the auth host', async () => {
    const leaving = await signInOperator(latchkey);
    assert.equal((await leaving.call(`${SESSION}/sign-out`, { method: 'POST' })).status, 204);
    expectProblem(await leaving.call(SESSION), 401, 'AUTHENTICATION_REQUIRED');
    const { console } = latchkey.system.config.addresses;
    assert.match((await leaving.browser.open(`${console}/console/v1/sign-in`)).url, /\/sign-in\//);
  });

  test('a dangerous action requires a fresh proof after ten minutes, and succeeds with it', async () => {
    const careful = await signInOperator(latchkey);
    const { id } = (await careful.call('/console/v1/roles', { body: { key: 'gone', name: 'Gone', permissions: [] } }))
      .body;
    clock.advance(601_000);
    const remove = (who: Operator) => who.call(`/console/v1/roles/${id}`, { method: 'DELETE' });
    const refused = await remove(careful);
    expectProblem(refused, 401, 'REAUTHENTICATION_REQUIRED');
    assert.equal(refused.body.maxAge, 600);
    const load = (query: string) => careful.call(`/console/v1/members/import${query}`, { body: {} });
    for (const query of ['', '?dryRun=false', '?dryRun=true&dryRun=false']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await load(query), 401, 'REAUTHENTICATION_REQUIRED');
    }
    expectProblem(await load('?dryRun=true'), 415, 'UNSUPPORTED_MEDIA_TYPE');
    const { console } = latchkey.system.config.addresses;
    const { browser } = careful;
    const page = await browser.open(`${console}/console/v1/sign-in?stepUp=true&returnTo=/console/signed-in`);
    const { email, password } = latchkey.demo.operator;
    const back = await browser.submit(page, { identifier: email, password });
    assert.equal(back.url, `${console}/console/signed-in`);
    assert.equal((await remove(await operatorOf(latchkey, browser))).status, 204);
    expectProblem(await careful.call(SESSION), 401, 'AUTHENTICATION_REQUIRED');
  });

  test('ends two hours after the last request, and twelve hours after its start', async () => {
    const idle = await signInOperator(latchkey);
    const busy = await signInOperator(latchkey);
    clock.advance(7_000_000);
    assert.equal((await busy.call(SESSION)).status, 200);
    clock.advance(300_000);
    expectProblem(await idle.call(SESSION), 401, 'SESSION_EXPIRED');
    for (let hours = 2; hours < 12; hours += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: time passes
      assert.equal((await busy.call(SESSION)).status, 200, `${hours} h`);
      clock.advance(3_600_000);
    }
    expectProblem(await busy.call(SESSION), 401, 'SESSION_EXPIRED');
  });

  test('a customer never opens the console, whatever their role', async () => {
    const { console } = latchkey.system.config.addresses;
    const browser = browserOf(latchkey);
    const page = await browser.open(`${console}/console/v1/sign-in`);
    const { email, password } = latchkey.demo.environments.production.owner;
    const refused = await browser.submit(page, { identifier: email, password });
    assert.ok(!refused.url.startsWith(console), refused.url);
    const login = await latchkey.auth(
      '/v1/auth/login/password',
      { body: { identifier: email, password } },
      'production',
    );
    const response = await latchkey.console(SESSION, { token: login.body.access_token });
    expectProblem(response, 401, 'AUTHENTICATION_REQUIRED');
  });
});
