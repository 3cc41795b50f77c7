import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { observeStatements } from '#platform/db.ts';
import {
  expectProblem,
  managementToken,
  ownerToken,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { createTenant, tenantManagementToken } from '#tests/tenants.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await managementToken(latchkey);
});
after(() => latchkey.stop());

const members = (query = '') => latchkey.api(`/v1/admin/members${query}`, { token });
const find = async (email: string) => (await members(`?q=${encodeURIComponent(email)}`)).body.items[0];

describe('GET /v1/admin/members', () => {
  test('200 the whole record of a member', async () => {
    const { email, session } = await register(latchkey, { profile: { displayName: 'Grace Hopper' } });
    const { id, createdAt, lastSeenAt, ...record } = await find(email);
    assert.match(id, /^mem_/);
    assert.ok(Date.parse(createdAt) <= Date.parse(lastSeenAt));
    assert.deepEqual(record, {
      userId: session.userId,
      email,
      emailVerified: false,
      phone: null,
      phoneVerified: false,
      username: null,
      displayName: 'Grace Hopper',
      status: 'active',
      roles: [],
      mfaEnabled: false,
      metadata: {},
    });
  });

  test('BI-2 pages are stable, complete, newest first, and a page costs the same statements whatever its size', async () => {
    await Promise.all(Array.from({ length: 25 }, () => register(latchkey)));
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      // biome-ignore lint/performance/noAwaitInLoops: pages follow one another
      const { body } = await members(`?limit=7${cursor === null ? '' : `&cursor=${cursor}`}`);
      ids.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
    } while (cursor !== null);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(ids, [...ids].sort().reverse());
    const { rowCount } = await latchkey.system.pool.query(
      'select from members where project_id = $1 and environment = $2',
      [latchkey.demo.projects[0]?.id, 'test'],
    );
    assert.equal(ids.length, rowCount);
    const costs = [await countStatements('?limit=1'), await countStatements('?limit=25')];
    assert.deepEqual(costs, [3, 3]);
  });

  async function countStatements(query: string): Promise<number> {
    let count = 0;
    const stop = observeStatements((sql) => {
      if (/from "(members|users)"/.test(sql)) count += 1;
    });
    await members(query);
    stop();
    return count;
  }

  test('filters by beginning of email and name, status, role and time', async () => {
    const { email } = await register(latchkey, { profile: { displayName: 'Zoë 100% _ Müller' } });
    assert.deepEqual(
      (await members(`?q=${email.slice(0, 12)}`)).body.items.map((item: { email: string }) => item.email),
      [email],
    );
    for (const q of ['zoë', 'ZOË 100% _', 'Zoe\u0308']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { body } = await members(`?q=${encodeURIComponent(q)}`);
      assert.deepEqual(
        body.items.map((item: { email: string }) => item.email),
        [email],
        q,
      );
    }
    assert.deepEqual((await members('?q=%25')).body.items, []);
    const owners = (await members('?role=owner')).body.items;
    assert.deepEqual(
      owners.map((item: { email: string; roles: string[] }) => [item.email, item.roles]),
      [['owner@demo.example', ['owner']]],
    );
    assert.deepEqual((await members('?status=blocked')).body.items, []);
    assert.deepEqual((await members(`?createdAfter=${new Date(Date.now() + 60_000).toISOString()}`)).body.items, []);
  });

  test('BI-2 limits outside 1 to 100 and forged or foreign cursors are refused', async () => {
    for (const limit of ['0', '101', 'x', '1.5', '-1']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await members(`?limit=${limit}`), 400, 'VALIDATION_FAILED');
    }
    const { nextCursor } = (await members('?limit=1')).body;
    assert.ok(nextCursor);
    const other = await createTenant(latchkey, 'cursors');
    const foreign = await tenantManagementToken(latchkey, other);
    expectProblem(
      await latchkey.api(`/v1/admin/members?cursor=${nextCursor}`, { token: foreign }),
      400,
      'INVALID_CURSOR',
    );
    expectProblem(await latchkey.api(`/v1/admin/roles?cursor=${nextCursor}`, { token }), 400, 'INVALID_CURSOR');
    for (const cursor of [
      'AAAA',
      `${nextCursor}A`,
      nextCursor.replace(/^./, (first: string) => (first === 'A' ? 'B' : 'A')),
      '%00',
      'mem_01kaz3w9hqf8p9n2m4v5x6y7z8',
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await members(`?cursor=${cursor}`);
      assert.equal(response.status, 400, cursor);
    }
    expectProblem(await members(`?status=active&cursor=${nextCursor}`), 400, 'INVALID_CURSOR');
  });

  test('400 for a filter that does not exist', async () => {
    expectProblem(await members('?color=red'), 400, 'VALIDATION_FAILED');
  });

  test('403 with a token that lacks the permission', async () => {
    const response = await latchkey.api('/v1/admin/members', { token: await managementToken(latchkey, 'roles:read') });
    expectProblem(response, 403, 'AUTHORIZATION_DENIED');
    assert.equal(response.body.requiredPermission, 'members:read');
  });
});

describe('GET /v1/admin/members/{memberId}', () => {
  test('200, and the same 404 for an unknown and a foreign one', async () => {
    const { email } = await register(latchkey);
    const { id } = await find(email);
    assert.equal((await latchkey.api(`/v1/admin/members/${id}`, { token })).body.email, email);
    const tenant = await createTenant(latchkey, 'foreign');
    const foreign = await latchkey.api(`/v1/admin/members/${id}`, {
      token: await tenantManagementToken(latchkey, tenant),
    });
    expectProblem(foreign, 404, 'NOT_FOUND');
    expectProblem(await latchkey.api('/v1/admin/members/mem_01kaz3w9hqf8p9n2m4v5x6y7z8', { token }), 404, 'NOT_FOUND');
    expectProblem(await latchkey.api('/v1/admin/members/nonsense', { token }), 400, 'VALIDATION_FAILED');
  });
});

describe('PUT /v1/admin/members/{memberId}/roles', () => {
  const setRoles = (id: string, roles: string[], by = token) =>
    latchkey.api(`/v1/admin/members/${id}/roles`, { token: by, method: 'PUT', body: { roles } });

  test('200 and effective on the next request', async () => {
    const { email, access_token } = await register(latchkey);
    const { id } = await find(email);
    expectProblem(await latchkey.api('/v1/admin/roles', { token: access_token }), 403, 'AUTHORIZATION_DENIED');
    assert.deepEqual((await latchkey.api('/v1/me/context', { token: access_token })).body.membership.roles, []);
    assert.deepEqual((await setRoles(id, ['viewer'])).body.roles, ['viewer']);
    assert.equal((await latchkey.api('/v1/admin/roles', { token: access_token })).status, 200);
    assert.deepEqual((await latchkey.api('/v1/me/context', { token: access_token })).body.membership.roles, ['viewer']);
    await setRoles(id, []);
    expectProblem(await latchkey.api('/v1/admin/roles', { token: access_token }), 403, 'AUTHORIZATION_DENIED');
  });

  test('403 an actor cannot grant permissions it does not hold', async () => {
    const { email, access_token } = await register(latchkey);
    const { id } = await find(email);
    await setRoles(id, ['admin']);
    expectProblem(await setRoles(id, ['owner'], access_token), 403, 'AUTHORIZATION_DENIED');
    const narrow = await managementToken(latchkey, 'members:write members:read');
    expectProblem(await setRoles(id, ['admin'], narrow), 403, 'AUTHORIZATION_DENIED');
    assert.equal((await setRoles(id, ['viewer'], access_token)).status, 200);
  });

  test('400 names the unknown role', async () => {
    const { email } = await register(latchkey);
    const response = await setRoles((await find(email)).id, ['viewer', 'emperor']);
    expectProblem(response, 400, 'VALIDATION_FAILED');
    assert.equal(response.body.errors[0].pointer, '/body/roles/1');
  });

  test('409 LAST_OWNER for the last one, by role change or block', async () => {
    const { id } = (await members('?role=owner')).body.items[0];
    expectProblem(await setRoles(id, ['admin']), 409, 'LAST_OWNER');
    expectProblem(await latchkey.api(`/v1/admin/members/${id}/block`, { token, method: 'POST' }), 409, 'LAST_OWNER');
  });

  test('two owners block, or demote, each other at once: one stays', async () => {
    const owner = (await members('?role=owner')).body.items[0].id;
    for (const act of [
      (id: string) => latchkey.api(`/v1/admin/members/${id}/block`, { token, method: 'POST' }),
      (id: string) => setRoles(id, ['viewer']),
    ]) {
      for (let round = 0; round < 8; round += 1) {
        // biome-ignore lint/performance/noAwaitInLoops: rounds follow one another
        const { email } = await register(latchkey);
        const { id } = await find(email);
        await setRoles(id, ['owner']);
        const responses = await Promise.all([act(owner), act(id)]);
        assert.deepEqual(
          responses.map(({ status }) => status).sort(),
          [200, 409],
          responses.map(({ text }) => text).join('\n'),
        );
        const survivor = responses[0]?.status === 409 ? owner : id;
        // Restores the state before the round.
        await latchkey.api(`/v1/admin/members/${owner}/unblock`, { token, method: 'POST' });
        if (survivor !== owner) await setRoles(owner, ['owner']);
        await setRoles(id, []);
      }
    }
  });
});

describe('roles and permissions', () => {
  const call = (method: string, path: string, body?: unknown, by = token) =>
    latchkey.api(`/v1/admin/${path}`, { token: by, method, ...(body !== undefined && { body }) });

  test('a project adds a permission and a role, assigns it, checks it, and removes it', async () => {
    assert.equal(
      (await call('POST', 'permissions', { key: 'orders:refund', description: 'Refund orders' })).status,
      201,
    );
    const role = await call('POST', 'roles', { key: 'clerk', name: 'Clerk', permissions: ['orders:refund'] });
    assert.equal(role.status, 201, role.text);
    const { email, access_token } = await register(latchkey);
    const { id } = await find(email);
    await call('PUT', `members/${id}/roles`, { roles: ['clerk'] });
    const check = () =>
      latchkey.api('/v1/me/authorization/check', { token: access_token, body: { permission: 'orders:refund' } });
    assert.equal((await check()).body.because[0].role, 'clerk');
    const { body: before } = await latchkey.api('/v1/me/authorization', { token: access_token });
    assert.deepEqual(
      [before.roles.map(({ key }: { key: string }) => key), before.permissions],
      [['clerk'], ['orders:refund']],
    );
    expectProblem(await call('DELETE', `roles/${role.body.id}`), 409, 'CONFLICT');
    const { body: read } = await call('GET', 'permissions/orders:refund');
    assert.deepEqual([read.description, read.builtIn], ['Refund orders', false]);
    assert.equal((await call('GET', 'permissions/members:read')).body.builtIn, true);
    assert.equal((await call('DELETE', 'permissions/orders:refund')).status, 204);
    expectProblem(await call('GET', 'permissions/orders:refund'), 404, 'NOT_FOUND');
    assert.equal((await check()).body.allowed, false);
    const { body: afterwards } = await latchkey.api('/v1/me/authorization', { token: access_token });
    assert.notEqual(afterwards.version, before.version);
    await call('PUT', `members/${id}/roles`, { roles: [] });
    assert.equal((await call('DELETE', `roles/${role.body.id}`)).status, 204);
  });

  test('built-in roles and permissions are read-only', async () => {
    const { body } = await call('GET', 'roles?limit=100');
    assert.deepEqual(body.items.map(({ key }: { key: string }) => key).sort(), ['admin', 'owner', 'viewer']);
    const owner = body.items.find(({ key }: { key: string }) => key === 'owner');
    expectProblem(await call('PATCH', `roles/${owner.id}`, { name: 'King' }), 409, 'BUILT_IN_ROLE');
    expectProblem(await call('PUT', `roles/${owner.id}/permissions`, { permissions: [] }), 409, 'BUILT_IN_ROLE');
    expectProblem(await call('DELETE', `roles/${owner.id}`), 409, 'BUILT_IN_ROLE');
    expectProblem(await call('DELETE', 'permissions/members:read'), 409, 'CONFLICT');
    expectProblem(
      await call('POST', 'permissions', { key: 'members:read', description: 'Mine' }),
      409,
      'ALREADY_EXISTS',
    );
  });

  test('duplicates, unknown permissions and unknown roles are named', async () => {
    assert.equal((await call('POST', 'roles', { key: 'twin', name: 'Twin' })).status, 201);
    expectProblem(await call('POST', 'roles', { key: 'twin', name: 'Twin' }), 409, 'ALREADY_EXISTS');
    const unknown = await call(
      'POST',
      'roles',
      { key: 'odd', name: 'Odd', permissions: ['members:read', 'no:such'] },
      await ownerToken(latchkey),
    );
    assert.equal(unknown.status, 400, unknown.text);
    expectProblem(await call('GET', 'roles/rol_01kaz3w9hqf8p9n2m4v5x6y7z8'), 404, 'NOT_FOUND');
    expectProblem(await call('PATCH', 'permissions/no:such', { description: 'x' }), 404, 'NOT_FOUND');
  });

  test('403 a role cannot be given permissions that its creator lacks', async () => {
    const narrow = await managementToken(latchkey, 'roles:write roles:read');
    expectProblem(
      await call('POST', 'roles', { key: 'sneaky', name: 'Sneaky', permissions: ['members:write'] }, narrow),
      403,
      'AUTHORIZATION_DENIED',
    );
    const own = await call('POST', 'roles', { key: 'modest', name: 'Modest', permissions: ['roles:read'] }, narrow);
    assert.equal(own.status, 201);
    expectProblem(
      await call('PUT', `roles/${own.body.id}/permissions`, { permissions: ['billing:write'] }, narrow),
      403,
      'AUTHORIZATION_DENIED',
    );
  });

  test('the owner holds every permission, including those added later', async () => {
    await call('POST', 'permissions', { key: 'reports:export', description: 'Export reports' });
    const { body } = await latchkey.api('/v1/me/authorization', { token: await ownerToken(latchkey) });
    assert.ok(body.permissions.includes('reports:export'));
    assert.ok(body.permissions.includes('billing:write'));
  });
});

describe('GET /v1/me/memberships', () => {
  test('200 lists every project of the workspace the person is in', async () => {
    const { body } = await latchkey.api('/v1/me/memberships', { token: await ownerToken(latchkey) });
    assert.deepEqual(
      body.items
        .map((item: { projectName: string; status: string; roles: string[] }) => [
          item.projectName,
          item.status,
          item.roles,
        ])
        .sort(),
      [
        ['Helpdesk', 'active', ['owner']],
        ['Shop', 'active', ['owner']],
      ],
    );
    assert.equal(body.nextCursor, null);
    const { body: first } = await latchkey.api('/v1/me/memberships?limit=1', { token: await ownerToken(latchkey) });
    const { access_token } = await register(latchkey);
    expectProblem(
      await latchkey.api(`/v1/me/memberships?cursor=${first.nextCursor}`, { token: access_token }),
      400,
      'INVALID_CURSOR',
    );
  });
});
