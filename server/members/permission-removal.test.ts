import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  expectProblem,
  managementToken,
  requestManagementToken,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { waitsForLock } from '#tests/locks.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await managementToken(latchkey);
});
after(() => latchkey.stop());

const call = (method: string, path: string, body?: unknown, by = token) =>
  latchkey.api(`/v1/admin/${path}`, { token: by, method, ...(body !== undefined && { body }) });
const add = async (key: string) => {
  const added = await call('POST', 'permissions', { key, description: 'Of a test' });
  assert.equal(added.status, 201, added.text);
};
const scopeOf = async ({ clientId, secret }: { clientId: string; secret: string }) => {
  const { status, body } = await requestManagementToken(latchkey, { client_id: clientId, client_secret: secret });
  assert.equal(status, 200);
  return { token: String(body.access_token), scope: String(body.scope).split(' ').sort() };
};

describe('DELETE /v1/admin/permissions/{key}', () => {
  test('takes the permission from management clients: a later one of the same name gives them nothing', async () => {
    await add('orders:cancel');
    const made = await call('POST', 'applications', {
      kind: 'management',
      name: 'Order desk',
      permissions: ['members:read', 'orders:cancel'],
    });
    assert.equal(made.status, 201, made.text);
    const before = await scopeOf(made.body);
    assert.deepEqual(before.scope, ['members:read', 'orders:cancel']);
    assert.equal((await call('DELETE', 'permissions/orders:cancel')).status, 204);
    expectProblem(await call('GET', 'members', undefined, before.token), 401, 'SESSION_REVOKED');
    await add('orders:cancel');
    const { body: application } = await call('GET', `applications/${made.body.id}`);
    assert.deepEqual(application.permissions, ['members:read']);
    assert.deepEqual((await scopeOf(made.body)).scope, ['members:read']);
    const kept = await call('PATCH', `applications/${made.body.id}`, { permissions: application.permissions });
    assert.equal(kept.status, 200, kept.text);
  });

  test('403 without a permission that a management client has', async () => {
    await add('orders:ship');
    const [strong, weak] = await Promise.all(
      [['orders:ship'], ['permissions:write']].map((permissions) =>
        call('POST', 'applications', { kind: 'management', name: 'Back end', permissions }),
      ),
    );
    const { token: by } = await scopeOf(weak?.body);
    expectProblem(await call('DELETE', 'permissions/orders:ship', undefined, by), 403, 'AUTHORIZATION_DENIED');
    assert.deepEqual((await call('GET', `applications/${strong?.body.id}`)).body.permissions, ['orders:ship']);
    assert.equal((await call('DELETE', 'permissions/orders:ship')).status, 204);
  });

  test('a role that is added at the same time does not keep the permission', async () => {
    await add('orders:print');
    const other = await latchkey.system.pool.connect();
    try {
      await other.query('begin');
      // The new role waits for another one with its key, after its permissions were checked.
      await other.query(
        `insert into roles (workspace_id, project_id, environment, id, key, name, description, built_in, permissions, created_at, updated_at)
         select workspace_id, project_id, environment, 'rol_other', 'printer', name, description, false, permissions, created_at, updated_at
         from roles where project_id = $1 and environment = 'test' and key = 'viewer'`,
        [latchkey.demo.projects[0]?.id],
      );
      const adding = call('POST', 'roles', { key: 'printer', name: 'Printer', permissions: ['orders:print'] });
      await waitsForLock(latchkey);
      const removing = call('DELETE', 'permissions/orders:print');
      await Promise.race([removing, waitsForLock(latchkey, 2)]);
      await other.query('rollback');
      const [role, removed] = await Promise.all([adding, removing]);
      assert.deepEqual([role.status, removed.status], [201, 204]);
      assert.deepEqual((await call('GET', `roles/${role.body.id}`)).body.permissions, []);
    } finally {
      other.release();
    }
  });
});

describe('POST /v1/admin/permissions', () => {
  test('a project has a thousand at most: of five requests at once for the last place, one succeeds', async () => {
    await latchkey.system.pool.query(
      `insert into permissions (workspace_id, project_id, environment, key, description, created_at)
       select $1, $2, 'test', 'filler:p' || number, 'Of a test', now()
       from generate_series(1, 999 - (select count(*) from permissions where project_id = $2 and environment = 'test')) as number`,
      [latchkey.demo.workspaceId, latchkey.demo.projects[0]?.id],
    );
    const made = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        call('POST', 'permissions', { key: `last:place${index}`, description: 'Of a test' }),
      ),
    );
    const statuses = made.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, 409, 409, 409, 409]);
    expectProblem(await call('POST', 'permissions', { key: 'too:many', description: 'Of a test' }), 409, 'CONFLICT');
  });
});
