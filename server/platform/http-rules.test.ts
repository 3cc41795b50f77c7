import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Registry } from 'prom-client';
import {
  expectProblem,
  managementToken,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { waitsForLock } from '#tests/locks.ts';
import { dereferenced } from '#tests/openapi.ts';
import { createHost } from './http.ts';
import { mount } from './http-mount.ts';
import { get } from './route.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  token = await managementToken(latchkey);
});
after(() => latchkey.stop());

let roles = 0;

function newRole(): { key: string; name: string } {
  roles += 1;
  return { key: `role-${roles}`, name: `Role ${roles}` };
}

type Resource = { path: string; change: unknown; token: string };

async function resources(): Promise<Resource[]> {
  const { access_token: customer } = await register(latchkey);
  const make = async (path: string, body: unknown) => {
    const response = await latchkey.api(path, { body, token });
    assert.equal(response.status, 201, response.text);
    return `${path}/${response.body.id}`;
  };
  const application = { kind: 'spa', name: 'Front', redirectUris: ['https://front.example/'] };
  const options = { issuer: 'https://id.acme.example' };
  const provider = { key: 'acme', preset: 'oidc', clientId: 'x', clientSecret: 'y', options };
  const endpoint = { url: 'https://hooks.example/in', events: ['user.*'] };
  await make('/v1/admin/permissions', { key: 'orders:ship', description: 'Ship' });
  return [
    { path: '/v1/admin/permissions/orders:ship', change: { description: 'Send out' }, token },
    { path: '/v1/me/profile', change: { displayName: 'Ada' }, token: customer },
    { path: '/v1/admin/settings', change: { registration: 'closed' }, token },
    { path: await make('/v1/admin/roles', newRole()), change: { name: 'Renamed' }, token },
    { path: await make('/v1/admin/applications', application), change: { name: 'Renamed' }, token },
    { path: await make('/v1/admin/identity-providers', provider), change: { name: 'Renamed' }, token },
    { path: await make('/v1/admin/webhooks/endpoints', endpoint), change: { description: 'Renamed' }, token },
    { path: '/v1/admin/billing/addons/sms/guard', change: { perNumber: 3 }, token },
  ];
}

const patch = ({ path, change, token: by }: Resource, ifMatch: string) =>
  latchkey.api(path, { method: 'PATCH', body: change, token: by, headers: { 'if-match': ifMatch } });

async function etagOf({ path, token: by }: Pick<Resource, 'path' | 'token'>): Promise<string> {
  const response = await latchkey.api(path, { token: by });
  assert.equal(response.status, 200, response.text);
  const etag = response.headers.get('etag');
  assert.ok(etag, path);
  return etag;
}

describe('ETag and If-Match', () => {
  test('a conditional change applies to the state it names, and to no other', async () => {
    for (const resource of await resources()) {
      // biome-ignore lint/performance/noAwaitInLoops: one resource after the other
      const before = await etagOf(resource);
      clock.advance(1_000);
      const changed = await patch(resource, before);
      assert.equal(changed.status, 200, `${resource.path}: ${changed.text}`);
      assert.notEqual(changed.headers.get('etag'), before, resource.path);
      assert.equal(changed.headers.get('etag'), await etagOf(resource), resource.path);
      expectProblem(await patch(resource, before), 412, 'PRECONDITION_FAILED');
      const either = `"something-else", ${changed.headers.get('etag')}`;
      assert.equal((await patch(resource, either)).status, 200, resource.path);
      assert.equal((await patch(resource, '*')).status, 200, resource.path);
    }
    await latchkey.api('/v1/admin/settings', { method: 'PATCH', body: { registration: 'open' }, token });
  });

  test('a field that does not count is that of the record, not one of the same name in its free JSON', async () => {
    const { email } = await register(latchkey);
    const { body } = await latchkey.api(`/v1/admin/members?q=${encodeURIComponent(email)}`, { token });
    const member = { path: `/v1/admin/members/${body.items[0].id}`, token };
    const seen = (lastSeenAt: number) => ({ ...member, change: { metadata: { lastSeenAt } } });
    const before = await etagOf(member);
    assert.equal((await patch(seen(1), before)).status, 200);
    const first = await etagOf(member);
    assert.notEqual(first, before);
    assert.equal((await patch(seen(2), first)).status, 200);
    expectProblem(await patch(seen(3), first), 412, 'PRECONDITION_FAILED');
    const signIn = { body: { identifier: email, password: PASSWORD } };
    const known = await etagOf(member);
    clock.advance(1_000);
    assert.equal((await latchkey.auth('/v1/auth/login/password', signIn)).status, 200);
    assert.equal(await etagOf(member), known, 'when they were last seen does not count');
  });

  test('a client with the current state gets 304', async () => {
    const etag = await etagOf({ path: '/v1/admin/settings', token });
    const same = await latchkey.api('/v1/admin/settings', { token, headers: { 'if-none-match': etag } });
    assert.deepEqual([same.status, same.text, same.headers.get('etag')], [304, '', etag]);
    for (const known of [`W/${etag}`, '*', `"another", W/${etag}`]) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const weak = await latchkey.api('/v1/admin/settings', { token, headers: { 'if-none-match': known } });
      assert.equal(weak.status, 304, `${known}: RFC 9110 §13.1.2`);
    }
    const other = await latchkey.api('/v1/admin/settings', { token, headers: { 'if-none-match': '"old"' } });
    assert.equal(other.status, 200);
  });

  test('only one of eight concurrent changes of the same state succeeds', async () => {
    const created = await latchkey.api('/v1/admin/roles', { body: newRole(), token });
    const path = `/v1/admin/roles/${created.body.id}`;
    const etag = await etagOf({ path, token });
    const names = Array.from({ length: 8 }, (_, n) => `Editor ${n}`);
    const responses = await Promise.all(names.map((name) => patch({ path, change: { name }, token }, etag)));
    const statuses = responses.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array.from({ length: 7 }, () => 412)]);
    const winner = responses.findIndex(({ status }) => status === 200);
    assert.equal((await latchkey.api(path, { token })).body.name, names[winner]);
  });

  test('only one of eight concurrent assignments of roles succeeds, also if there were none before', async () => {
    const { session } = await register(latchkey);
    const { body } = await latchkey.api('/v1/admin/members?limit=1', { token });
    assert.equal(body.items[0].userId, session.userId);
    const path = `/v1/admin/members/${body.items[0].id}`;
    const etag = await etagOf({ path, token });
    const keys = await Promise.all(
      Array.from(
        { length: 8 },
        async () => (await latchkey.api('/v1/admin/roles', { body: newRole(), token })).body.key,
      ),
    );
    const responses = await Promise.all(
      keys.map((key) =>
        latchkey.api(`${path}/roles`, {
          method: 'PUT',
          body: { roles: [key] },
          token,
          headers: { 'if-match': etag },
        }),
      ),
    );
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 412)]);
    assert.equal((await latchkey.api(path, { token })).body.roles.length, 1);
  });

  test('an unconditional change that commits first fails the conditional one', async () => {
    const created = await latchkey.api('/v1/admin/roles', { body: newRole(), token });
    const path = `/v1/admin/roles/${created.body.id}`;
    const etag = await etagOf({ path, token });
    const other = await latchkey.system.pool.connect();
    await other.query('begin');
    await other.query(`update roles set name = 'First' where id = $1`, [created.body.id]);
    const waiting = patch({ path, change: { name: 'Second' }, token }, etag);
    await waitsForLock(latchkey);
    await other.query('commit');
    other.release();
    expectProblem(await waiting, 412, 'PRECONDITION_FAILED');
    assert.equal((await latchkey.api(path, { token })).body.name, 'First');
  });

  test('a deadlock is 503, so that clients try again', async (t) => {
    const app = await createHost({ ...latchkey.system, metrics: new Registry() }, { kind: 'api', environment: 'test' });
    t.after(() => app.close());
    const handler = async () => {
      await latchkey.system.pool.query(
        `do $$ begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`,
      );
      return {};
    };
    mount(app, [get('/v1/deadlock', { permission: 'public', summary: 'Deadlock', handler })]);
    const host = new URL(latchkey.system.config.addresses.test.api).host;
    const response = await app.inject({ url: '/v1/deadlock', headers: { host } });
    assert.deepEqual([response.statusCode, response.headers['retry-after']], [503, '1'], response.body);
  });

  test('a deletion honours the condition too', async () => {
    const created = await latchkey.api('/v1/admin/roles', { body: newRole(), token });
    const path = `/v1/admin/roles/${created.body.id}`;
    const etag = await etagOf({ path, token });
    const remove = (ifMatch: string) =>
      latchkey.api(path, { method: 'DELETE', token, headers: { 'if-match': ifMatch } });
    expectProblem(await remove('"old"'), 412, 'PRECONDITION_FAILED');
    assert.equal((await remove(etag)).status, 204);
  });

  test('a weak tag never matches, and the response says so (RFC 9110 §13.1.1)', async () => {
    const settings = { path: '/v1/admin/settings', change: { registration: 'open' }, token };
    const refused = await patch(settings, `W/${await etagOf(settings)}`);
    expectProblem(refused, 412, 'PRECONDITION_FAILED');
    assert.match(refused.body.detail, /weak/);
    expectProblem(
      await patch({ path: '/v1/admin/roles/rol_01kaz3w9hqf8p9n2m4v5x6y7z8', change: { name: 'None' }, token }, '*'),
      404,
      'NOT_FOUND',
    );
  });

  test('a part of a record is changed only in the state that the record has', async () => {
    const { access_token: by } = await register(latchkey);
    const { body: application } = await latchkey.api('/v1/admin/applications', {
      body: { kind: 'web', name: 'Shop', redirectUris: ['https://shop.example/'] },
      token,
    });
    const secrets = `/v1/admin/applications/${application.id}/secrets`;
    const { body: secret } = await latchkey.api(secrets, { body: {}, token });
    const record = `/v1/admin/applications/${application.id}`;
    const remove = (path: string, ifMatch: string, as = token) =>
      latchkey.api(path, { method: 'DELETE', token: as, headers: { 'if-match': ifMatch } });
    expectProblem(await remove(`${secrets}/${secret.id}`, '"old"'), 412, 'PRECONDITION_FAILED');
    assert.equal((await remove(`${secrets}/${secret.id}`, await etagOf({ path: record, token }))).status, 204);
    expectProblem(await remove('/v1/me/security/sessions', '"old"', by), 412, 'PRECONDITION_FAILED');
    const security = await etagOf({ path: '/v1/me/security', token: by });
    assert.equal((await remove('/v1/me/security/sessions', security, by)).status, 204);
  });

  test('more concurrent conditional changes than connections all succeed', async () => {
    const paths = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const { body } = await latchkey.api('/v1/admin/roles', { body: newRole(), token });
        return `/v1/admin/roles/${body.id}`;
      }),
    );
    const etags = await Promise.all(paths.map((path) => etagOf({ path, token })));
    const responses = await Promise.all(
      paths.map((path, n) => patch({ path, change: { name: 'Renamed' }, token }, etags[n] ?? '')),
    );
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
  });
});

describe('headers about limits and deprecation', () => {
  test('RateLimit and RateLimit-Policy count down where a limit applies', async () => {
    const { email } = await register(latchkey);
    const login = () =>
      latchkey.auth('/v1/auth/login/password', {
        body: { identifier: email, password: PASSWORD },
        headers: { 'x-forwarded-for': '203.0.113.9' },
      });
    const remaining = ({ headers }: TestResponse) =>
      Number(/"password-source";r=(\d+);t=\d+/.exec(headers.get('ratelimit') ?? '')?.[1]);
    const first = await login();
    const policy = first.headers.get('ratelimit-policy') ?? '';
    assert.match(policy, /^("[a-z-]+";q=\d+;w=\d+)(, "[a-z-]+";q=\d+;w=\d+)*$/);
    assert.equal(remaining(await login()), remaining(first) - 1, first.headers.get('ratelimit') ?? 'none');
    const { headers } = await latchkey.api('/v1/admin/settings', { token });
    assert.deepEqual([headers.get('ratelimit'), headers.get('deprecation')], [null, null]);
  });

  test('a deprecated route says since when and until when, at least twelve months ahead', async (t) => {
    const app = await createHost({ ...latchkey.system, metrics: new Registry() }, { kind: 'api', environment: 'test' });
    t.after(() => app.close());
    const since = new Date('2026-01-01T00:00:00Z');
    const sunset = new Date('2027-02-01T00:00:00Z');
    const route = { permission: 'public', summary: 'An old one', handler: () => ({}) } as const;
    mount(app, [get('/v1/old', { ...route, deprecated: { since, sunset, link: 'https://docs.example/v2' } })]);
    const rash = get('/v1/rash', { ...route, deprecated: { since, sunset: new Date('2026-06-01') } });
    assert.throws(() => mount(app, [rash]), /less than 12 months/);
    const host = new URL(latchkey.system.config.addresses.test.api).host;
    const { headers } = await app.inject({ url: '/v1/old', headers: { host } });
    assert.deepEqual(
      [headers['deprecation'], headers['sunset'], headers['link']],
      ['@1767225600', 'Mon, 01 Feb 2027 00:00:00 GMT', '<https://docs.example/v2>; rel="deprecation"'],
    );
    const { paths } = (await app.inject({ url: '/openapi.json', headers: { host } })).json();
    assert.equal(paths['/v1/old'].get.deprecated, true);
  });
});

test('OpenAPI shows what each operation takes', async () => {
  const described = await Promise.all([latchkey.api('/openapi.json'), latchkey.auth('/openapi.json')]);
  type Operation = { parameters?: { in: string; name: string }[]; responses: Record<string, { description: string }> };
  const operations = described.flatMap(({ body }) =>
    Object.entries<Record<string, Operation>>(dereferenced(body).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    ),
  );
  const takes = (operation: Operation, name: string) =>
    operation.parameters?.some((parameter) => parameter.in === 'header' && parameter.name === name) === true;
  for (const { path, method, operation } of operations) {
    const keyed = method === 'post' && path.startsWith('/v1/') && path !== '/v1/admin/members/import';
    assert.equal(takes(operation, 'idempotency-key'), keyed, `${method} ${path}`);
    if (keyed) assert.match(operation.responses['409']?.description ?? '', /IDEMPOTENCY_KEY_REUSED/, path);
    if (takes(operation, 'if-match')) assert.match(operation.responses['412']?.description ?? '', /PRECONDITION/, path);
  }
  const lists = operations.filter(({ operation }) =>
    JSON.stringify(operation.responses['200'])?.includes('"nextCursor"'),
  );
  for (const { path, operation } of lists) {
    const query = operation.parameters?.filter((parameter) => parameter.in === 'query').map(({ name }) => name) ?? [];
    assert.ok(query.includes('limit') && query.includes('cursor'), `BI-2 ${path} is read in pages`);
    assert.match(operation.responses['400']?.description ?? '', /INVALID_CURSOR/, path);
  }
  assert.ok(lists.length >= 20, String(lists.length));
  const recordsWith = (header: string, ...methods: string[]) =>
    operations
      .filter(({ method, operation }) => methods.includes(method) && takes(operation, header))
      .map(({ path }) => path);
  const read = recordsWith('if-none-match', 'get');
  const changes = operations.filter(({ path, method }) => path.startsWith('/v1/') && /patch|put|delete/.test(method));
  for (const { path, method } of changes)
    assert.ok(recordsWith('if-match', method).includes(path), `${method} ${path} takes If-Match`);
  assert.ok(changes.length >= 45, String(changes.length));
  const several = ['/v1/me/security/sessions'];
  const changed = new Set(changes.map(({ path }) => path).filter((path) => !several.includes(path)));
  for (const { path } of operations.filter(({ path, method }) => method === 'get' && changed.has(path)))
    assert.ok(read.includes(path), `GET ${path} has an ETag`);
});
