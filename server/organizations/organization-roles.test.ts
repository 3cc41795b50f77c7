import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  expectProblem,
  managementToken,
  ownerToken,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';

const PATH = '/v1/admin/organization-roles';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
  for (const key of ['orders:read', 'orders:refund']) {
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    await latchkey.api('/v1/admin/permissions', { token, body: { key, description: key } });
  }
});
after(() => latchkey.stop());

const call = (path: string, method = 'GET', body?: unknown, as = token) =>
  latchkey.api(path, { token: as, method, ...(body !== undefined && { body }) });
let made = 0;
async function add(permissions: string[] = [], as = token) {
  made += 1;
  return call(PATH, 'POST', { key: `role-${made}`, name: 'Billing', permissions }, as);
}

/** Adds a member to a new organization. @returns the path of the membership */
async function memberWith(roles: string[]): Promise<string> {
  const { email } = await register(latchkey);
  const { body } = await call(`/v1/admin/members?q=${encodeURIComponent(email)}`);
  const { id } = (await call('/v1/admin/organizations', 'POST', { name: 'Acme' })).body;
  const path = `/v1/admin/organizations/${id}/members`;
  const joined = await call(path, 'POST', { memberId: body.items[0].id, roles });
  assert.equal(joined.status, 201, joined.text);
  return `${path}/${joined.body.memberId}`;
}

describe('roles of organizations', () => {
  test('one is added, read, listed, changed and deleted, with an event for each change', async () => {
    const { status, body } = await add(['orders:refund', 'orders:read']);
    assert.equal(status, 201);
    const { key } = body;
    assert.deepEqual([body.builtIn, body.permissions], [false, ['orders:read', 'orders:refund']]);
    assert.deepEqual((await call(`${PATH}/${key}`)).body, body);
    const list = (await call(PATH)).body.items;
    assert.deepEqual(list[0], body);
    assert.deepEqual([list.at(-2).key, list.at(-2).builtIn], ['owner', true]);
    const changed = await call(`${PATH}/${key}`, 'PATCH', { name: 'Clerk', permissions: ['orders:read'] });
    assert.deepEqual([changed.body.name, changed.body.permissions], ['Clerk', ['orders:read']]);
    assert.equal((await call(`${PATH}/${key}`, 'DELETE')).status, 204);
    expectProblem(await call(`${PATH}/${key}`), 404, 'NOT_FOUND');
    const { rows } = await latchkey.system.pool.query(
      `select type from events where type like 'organization.role.%' and data->>'key' = $1
         and workspace_id = $2 order by id`,
      [key, latchkey.demo.workspaceId],
    );
    assert.deepEqual(
      rows.map(({ type }) => type),
      ['created', 'updated', 'deleted'].map((what) => `organization.role.${what}`),
    );
  });

  test('the built-in role is neither changed, deleted nor added again', async () => {
    expectProblem(await call(`${PATH}/owner`, 'PATCH', { permissions: ['orders:read'] }), 409, 'BUILT_IN_ROLE');
    expectProblem(await call(`${PATH}/owner`, 'DELETE'), 409, 'BUILT_IN_ROLE');
    expectProblem(await call(PATH, 'POST', { key: 'owner', name: 'Owner' }), 409, 'ALREADY_EXISTS');
  });

  test('grants only permissions that the project has added: none over the project itself', async () => {
    for (const permission of ['members:write', 'organizations:write', 'orders:absent']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await add([permission]), 400, 'VALIDATION_FAILED');
    }
  });

  test('a role that a member has cannot be deleted', async () => {
    const { key } = (await add()).body;
    const path = await memberWith([key]);
    expectProblem(await call(`${PATH}/${key}`, 'DELETE'), 409, 'CONFLICT');
    assert.equal((await call(path, 'DELETE')).status, 204);
    assert.equal((await call(`${PATH}/${key}`, 'DELETE')).status, 204);
  });

  test('a role that is assigned while it is deleted is either assigned or deleted', async () => {
    const { key } = (await add()).body;
    const path = await memberWith([]);
    const [given, gone] = await Promise.all([
      call(`${path}/roles`, 'PUT', { roles: [key] }),
      call(`${PATH}/${key}`, 'DELETE'),
    ]);
    const outcome = [given.status, gone.status].join();
    assert.ok(outcome === '200,409' || outcome === '400,204', outcome);
  });

  test('a permission that a role grants is removed from the role before it is deleted', async () => {
    await call('/v1/admin/permissions', 'POST', { key: 'orders:passing', description: 'Passing' });
    const { key } = (await add(['orders:passing'])).body;
    expectProblem(await call('/v1/admin/permissions/orders:passing', 'DELETE'), 409, 'CONFLICT');
    assert.equal((await call(`${PATH}/${key}`, 'PATCH', { permissions: [] })).status, 200);
    assert.equal((await call('/v1/admin/permissions/orders:passing', 'DELETE')).status, 204);
  });
});

describe('nobody grants through an organization a permission that they lack', () => {
  let clerk: string;
  before(async () => {
    clerk = await managementToken(latchkey, 'roles:write organizations:write organizations:read');
  });

  test('in a role', async () => {
    expectProblem(await add(['orders:refund'], clerk), 403, 'AUTHORIZATION_DENIED');
    const { key } = (await add(['orders:refund'])).body;
    const change = (body: unknown) => call(`${PATH}/${key}`, 'PATCH', body, clerk);
    expectProblem(await change({ name: 'Mine' }), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await change({ permissions: [] }), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await call(`${PATH}/${key}`, 'DELETE', undefined, clerk), 403, 'AUTHORIZATION_DENIED');
    assert.equal((await add([], clerk)).status, 201);
  });

  test('to a member', async () => {
    const { key } = (await add(['orders:refund'])).body;
    const [plain, strong] = [await memberWith([]), await memberWith([key])];
    const replace = (path: string, roles: string[]) => call(`${path}/roles`, 'PUT', { roles }, clerk);
    expectProblem(await replace(plain, [key]), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await replace(strong, []), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await call(strong, 'DELETE', undefined, clerk), 403, 'AUTHORIZATION_DENIED');
    const [organization, memberId] = plain.split('/members/');
    assert.equal((await call(plain, 'DELETE', undefined, clerk)).status, 204);
    expectProblem(
      await call(`${organization}/members`, 'POST', { memberId, roles: [key] }, clerk),
      403,
      'AUTHORIZATION_DENIED',
    );
    assert.equal((await call(`${organization}/members`, 'POST', { memberId, roles: ['owner'] }, clerk)).status, 201);
  });
});
