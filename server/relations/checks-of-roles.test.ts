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
import { createTenant, tenantManagementToken } from '#tests/tenants.ts';

const MINE = '/v1/me/authorization/check';
const THEIRS = '/v1/admin/authorization/check';
const NO_PATHS = { because: [], becauseInOrganizations: [], becauseOfRelations: [] };
let latchkey: TestLatchkey;
let token: string;
let person: { access_token: string; memberId: string };
let editor: { id: string };
before(async () => {
  latchkey = await startTestLatchkey();
  token = await managementToken(latchkey);
  const owner = await ownerToken(latchkey);
  await latchkey.api('/v1/admin/permissions', { token: owner, body: { key: 'orders:refund', description: 'Refund' } });
  const role = { key: 'editor', name: 'Editor', permissions: ['orders:refund'] };
  editor = (await latchkey.api('/v1/admin/roles', { token: owner, body: role })).body;
  const { access_token, email } = await register(latchkey);
  const { body } = await latchkey.api(`/v1/admin/members?q=${email}`, { token });
  person = { access_token, memberId: body.items[0].id };
});
after(() => latchkey.stop());

const mine = (permission: string) => latchkey.api(MINE, { token: person.access_token, body: { permission } });
const theirs = (permission: string, memberId = person.memberId, by = token) =>
  latchkey.api(THEIRS, { token: by, body: { memberId, permission } });

/** Asks both routes, which must agree. */
async function checked(permission: string) {
  const [own, admin] = await Promise.all([mine(permission), theirs(permission)]);
  assert.deepEqual([own.status, own.body], [200, admin.body]);
  return own.body;
}

async function giveRoles(roles: string[]): Promise<void> {
  const by = await ownerToken(latchkey);
  const path = `/v1/admin/members/${person.memberId}/roles`;
  assert.equal((await latchkey.api(path, { method: 'PUT', token: by, body: { roles } })).status, 200);
}

describe('POST /v1/me/authorization/check and its admin twin', () => {
  test('return false, with the reason', async () => {
    assert.deepEqual(await checked('orders:refund'), { allowed: false, ...NO_PATHS, denial: 'not_granted' });
    assert.deepEqual(await checked('no:such'), { allowed: false, ...NO_PATHS, denial: 'unknown_permission' });
  });

  test('return true with every path that grants it, on the next request', async () => {
    await giveRoles(['editor', 'viewer']);
    assert.deepEqual(await checked('orders:refund'), {
      ...NO_PATHS,
      allowed: true,
      because: [
        {
          role: 'editor',
          path: {
            memberId: person.memberId,
            role: { id: editor.id, key: 'editor', name: 'Editor' },
            permission: 'orders:refund',
          },
        },
      ],
      denial: null,
    });
    await giveRoles(['editor', 'owner']);
    const both = await checked('orders:refund');
    assert.deepEqual(
      both.because.map(({ role }: { role: string }) => role),
      ['editor', 'owner'],
    );
    assert.equal((await checked('members:read')).because[0].role, 'owner');
    await giveRoles([]);
    assert.equal((await checked('orders:refund')).allowed, false);
  });

  test('a blocked member has no permission, whatever the roles say', async () => {
    await giveRoles(['editor']);
    await latchkey.api(`/v1/admin/members/${person.memberId}/block`, { method: 'POST', token });
    assert.deepEqual((await theirs('orders:refund')).body, { allowed: false, ...NO_PATHS, denial: 'not_active' });
    await latchkey.api(`/v1/admin/members/${person.memberId}/unblock`, { method: 'POST', token });
  });

  test('BI-3 an administrator asks only about members of their own project', async () => {
    const other = await createTenant(latchkey, 'authorization');
    const foreign = await tenantManagementToken(latchkey, other);
    expectProblem(await theirs('orders:refund', person.memberId, foreign), 404, 'NOT_FOUND');
    const weak = await managementToken(latchkey, 'members:read');
    expectProblem(await theirs('orders:refund', person.memberId, weak), 403, 'AUTHORIZATION_DENIED');
  });
});
