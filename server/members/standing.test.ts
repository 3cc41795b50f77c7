import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  expectProblem,
  managementToken,
  ownerToken,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { teammate } from '#tests/operators.ts';
import { type SecondProcess, startSecondProcess } from '#tests/second-process.ts';
import { addMember } from './members.ts';

let latchkey: TestLatchkey;
let second: SecondProcess;
before(async () => {
  latchkey = await startTestLatchkey();
  second = await startSecondProcess(latchkey);
});
after(async () => {
  await second.stop();
  await latchkey.stop();
});

test('role and permission changes count on the next request in another process', async () => {
  const token = await managementToken(latchkey);
  const change = async (method: string, path: string, body: unknown) => {
    const response = await latchkey.api(`/v1/admin/${path}`, { token, method, body });
    assert.ok(response.status < 300, response.text);
    return response.body;
  };
  const { email, access_token } = await register(latchkey);
  const { body } = await latchkey.api(`/v1/admin/members?q=${email}`, { token });
  const [{ id }] = body.items;
  const status = async () => (await second.api('/v1/admin/roles', access_token)).status;
  assert.equal(await status(), 403);
  const role = await change('POST', 'roles', { key: 'helper', name: 'Helper', permissions: ['roles:read'] });
  await change('PUT', `members/${id}/roles`, { roles: ['helper'] });
  assert.equal(await status(), 200);
  await change('PUT', `roles/${role.id}/permissions`, { permissions: [] });
  assert.equal(await status(), 403);
  await change('PUT', `roles/${role.id}/permissions`, { permissions: ['roles:read'] });
  assert.equal(await status(), 200);
  await change('PUT', `members/${id}/roles`, { roles: [] });
  assert.equal(await status(), 403);
});

describe('an actor cannot act on a member with more rights', () => {
  const act = (by: string, id: string, what: string, call: { method: string; body?: unknown } = { method: 'POST' }) =>
    latchkey.api(`/v1/admin/members/${id}${what}`, { token: by, ...call });
  const acts = (by: string, id: string): Promise<TestResponse>[] => [
    act(by, id, '/block'),
    act(by, id, '/unblock'),
    act(by, id, '/reset-password'),
    act(by, id, '/reset-mfa'),
    act(by, id, '/roles', { method: 'PUT', body: { roles: ['viewer'] } }),
    act(by, id, '', { method: 'DELETE' }),
  ];
  /** A new member of the first project with these roles. */
  const memberWith = async (roles: string[]) => {
    const { email, access_token: own, session } = await register(latchkey);
    const token = await managementToken(latchkey);
    const { body } = await latchkey.api(`/v1/admin/members?q=${email}`, { token });
    const [{ id }] = body.items;
    assert.equal((await act(token, id, '/roles', { method: 'PUT', body: { roles } })).status, 200);
    return { id, own, userId: session.userId };
  };

  test('an admin on owners, a back end on those with rights it was not granted', async () => {
    const owner = await memberWith(['owner']);
    const admin = await memberWith(['admin']);
    const narrow = await managementToken(latchkey, 'members:read members:write');
    for (const response of await Promise.all([...acts(admin.own, owner.id), ...acts(narrow, admin.id)]))
      expectProblem(response, 403, 'AUTHORIZATION_DENIED');
    const token = await managementToken(latchkey);
    assert.deepEqual((await act(token, owner.id, '', { method: 'GET' })).body.roles, ['owner']);
  });

  test('an owner acts on owners and admins, an admin on admins; custom permissions do not matter', async () => {
    const management = await managementToken(latchkey);
    const made = async (path: string, body: unknown) =>
      assert.equal((await latchkey.api(`/v1/admin/${path}`, { token: management, body })).status, 201);
    await made('permissions', { key: 'orders:refund', description: 'Refund orders' });
    await made('roles', { key: 'clerk', name: 'Clerk', permissions: ['orders:refund'] });
    const narrow = await managementToken(latchkey, 'members:read members:write');
    const [owner, another, admin, clerk] = await Promise.all([
      ownerToken(latchkey),
      memberWith(['owner']),
      memberWith(['admin']),
      memberWith(['clerk']),
    ]);
    const allowed = async (by: string, { id }: { id: string }) => {
      const acting = ['/reset-mfa', '/reset-password', '/block', '/unblock'];
      const responses = await Promise.all(acting.map((what) => act(by, id, what)));
      for (const { status, text } of responses) assert.ok(status < 300, text);
    };
    await allowed(owner, another);
    await allowed(owner, admin);
    await allowed(narrow, clerk);
    const [third, fourth] = await Promise.all([memberWith(['admin']), memberWith(['admin'])]);
    await allowed(third.own, fourth);
  });

  test('changes of an account consider the rights in every project; those who run the workspace may make them', async () => {
    const [, helpdesk] = latchkey.demo.projects;
    assert.ok(helpdesk);
    const person = await memberWith([]);
    await latchkey.inProject((tx) => addMember(tx, person.userId, ['viewer']), { projectId: helpdesk.id });
    const token = await managementToken(latchkey);
    expectProblem(await act(token, person.id, '/reset-mfa'), 403, 'AUTHORIZATION_DENIED');
    assert.equal((await act(token, person.id, '/block')).status, 200);
    const [support, admin] = await Promise.all([teammate(latchkey, 'support'), teammate(latchkey, 'admin')]);
    const path = `/console/v1/members/${person.id}/reset-mfa`;
    assert.equal((await admin.call(path, { method: 'POST' })).status, 204);
    expectProblem(
      await support.call(`/console/v1/members/${(await memberWith(['admin'])).id}/block`, { method: 'POST' }),
      403,
      'AUTHORIZATION_DENIED',
    );
  });
});
