import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { expectProblem, managementToken, ownerToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

const PATH = '/v1/admin/apis';
const READ = { name: 'orders:read', description: 'See your orders' };
const REFUND = { name: 'orders:refund', description: '' };

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
});
after(() => latchkey.stop());

let made = 0;
function add(body: Record<string, unknown> = {}, as = token) {
  made += 1;
  const api = { identifier: `https://api-${made}.example`, name: 'Orders', ...body };
  return latchkey.api(PATH, { token: as, body: api });
}
const change = (id: string, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  latchkey.api(`${PATH}/${id}`, { token, method: 'PATCH', body, headers });

describe('APIs', () => {
  test('one is added, read, listed, changed and removed, with an event for each change', async () => {
    const { status, body } = await add({ scopes: [READ] });
    assert.equal(status, 201);
    assert.deepEqual(
      [body.scopes, body.accessTokenSeconds, body.requirePermissions],
      [[READ], null, false],
      'what is left out has its default',
    );
    assert.deepEqual((await latchkey.api(`${PATH}/${body.id}`, { token })).body, body);
    const list = await latchkey.api(PATH, { token });
    assert.deepEqual(list.body.items[0], body);
    const fields = { name: 'All orders', scopes: [READ, REFUND], accessTokenSeconds: 120, requirePermissions: true };
    const changed = await change(body.id, fields);
    assert.deepEqual({ ...changed.body, updatedAt: null }, { ...body, ...fields, updatedAt: null });
    assert.equal((await latchkey.api(`${PATH}/${body.id}`, { token, method: 'DELETE' })).status, 204);
    expectProblem(await latchkey.api(`${PATH}/${body.id}`, { token }), 404, 'NOT_FOUND');
    const { rows } = await latchkey.system.pool.query(
      `select type, data->>'identifier' as identifier from events where data->>'apiId' = $1 order by id`,
      [body.id],
    );
    assert.deepEqual(
      rows,
      ['api.created', 'api.updated', 'api.deleted'].map((type) => ({ type, identifier: body.identifier })),
    );
  });

  test('the list is read in pages, newest first', async () => {
    const ids = [(await add()).body.id, (await add()).body.id];
    const first = await latchkey.api(`${PATH}?limit=1`, { token });
    const second = await latchkey.api(`${PATH}?limit=1&cursor=${first.body.nextCursor}`, { token });
    assert.deepEqual([first.body.items[0].id, second.body.items[0].id], ids.toReversed());
    expectProblem(await latchkey.api(`${PATH}?cursor=${first.body.nextCursor}x`, { token }), 400, 'INVALID_CURSOR');
  });

  test('a change with a stale If-Match is refused', async () => {
    const { body } = await add();
    const etag = (await latchkey.api(`${PATH}/${body.id}`, { token })).headers.get('etag') ?? '';
    assert.equal((await change(body.id, { name: 'First' }, { 'if-match': etag })).status, 200);
    expectProblem(await change(body.id, { name: 'Second' }, { 'if-match': etag }), 412, 'PRECONDITION_FAILED');
  });

  test('needs permissions of its own', async () => {
    const reading = await managementToken(latchkey, 'apis:read');
    const neither = await managementToken(latchkey, 'applications:write');
    assert.equal((await latchkey.api(PATH, { token: reading })).status, 200);
    expectProblem(await add({}, reading), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await latchkey.api(PATH, { token: neither }), 403, 'AUTHORIZATION_DENIED');
  });

  test('the identifier is unique in its project and environment, and never changes', async () => {
    const { body } = await add();
    expectProblem(await add({ identifier: body.identifier }), 409, 'ALREADY_EXISTS');
    expectProblem(await change(body.id, { identifier: 'https://other.example' }), 400, 'VALIDATION_FAILED');
    const production = await managementToken(latchkey, undefined, 'production');
    const there = { identifier: body.identifier, name: 'Orders' };
    assert.equal((await latchkey.api(PATH, { token: production, body: there }, 'production')).status, 201);
  });

  test('only one of several concurrent additions of the same identifier succeeds', async () => {
    const identifier = 'https://race.example';
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => add({ identifier })))).map(
      ({ status }) => status,
    );
    assert.deepEqual(statuses.toSorted(), [201, ...Array.from({ length: 7 }, () => 409)]);
  });

  test('a project environment has up to a hundred, also when several are added at once', async () => {
    const before = (await latchkey.api(`${PATH}?limit=100`, { token })).body.items.length;
    for (let count = before; count < 97; count += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await add()).status, 201);
    }
    const responses = await Promise.all(Array.from({ length: 6 }, () => add()));
    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [201, 201, 201, 409, 409, 409]);
    const { items } = (await latchkey.api(`${PATH}?limit=20`, { token })).body;
    for (const { id } of items) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await latchkey.api(`${PATH}/${id}`, { token, method: 'DELETE' })).status, 204);
    }
  });
});

describe('an invalid API', () => {
  test('an identifier that is not an absolute URI, has a fragment, or is an address of Latchkey', async () => {
    const { test: own, production, console } = latchkey.system.config.addresses;
    for (const identifier of [
      'orders',
      '/orders',
      '//api.example',
      'https://',
      'https://api.example/#x',
      'https://api.example/ x',
      'https://api.example/"><script>',
      `https://api.example/${'x'.repeat(500)}`,
      'https://api.exämple',
      own.api,
      `${own.api}/`,
      own.auth,
      production.api,
      console,
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await add({ identifier }), 400, 'VALIDATION_FAILED');
    }
    assert.equal((await add({ identifier: 'urn:example:orders' })).status, 201);
  });

  test('a scope of OpenID Connect, one given twice, or one that is not a scope token', async () => {
    for (const name of [
      'openid',
      'email',
      'roles',
      'permissions',
      'offline_access',
      '',
      'two words',
      'a"b',
      'a\\b',
      'ä',
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await add({ scopes: [{ ...READ, name }] }), 400, 'VALIDATION_FAILED');
    }
    expectProblem(await add({ scopes: [READ, READ] }), 400, 'VALIDATION_FAILED');
    const many = Array.from({ length: 101 }, (_, index) => ({ ...READ, name: `scope:${index}` }));
    expectProblem(await add({ scopes: many }), 400, 'VALIDATION_FAILED');
  });

  test('a lifetime of less than a minute or more than an hour', async () => {
    for (const accessTokenSeconds of [0, 59, 3_601, 1.5, '60']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await add({ accessTokenSeconds }), 400, 'VALIDATION_FAILED');
    }
  });
});
