import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  changeSettings,
  eventually,
  expectProblem,
  ownerToken,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
  await changeSettings(latchkey, { maxOwnOrganizations: 100 });
  await admin('permissions', 'POST', { key: 'orders:refund', description: 'Refund' });
  for (const role of [
    { key: 'billing', name: 'Billing', permissions: ['orders:refund'] },
    { key: 'clerk', name: 'Clerk', permissions: ['orders:refund'], delegable: true },
    { key: 'reader', name: 'Reader', permissions: ['org.members:read'] },
    { key: 'trustee', name: 'Trustee', permissions: ['org.profile:write'], delegable: true },
  ]) {
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    assert.equal((await admin('organization-roles', 'POST', role)).status, 201);
  }
});
after(() => latchkey.stop());

type Person = { token: string; memberId: string; userId: string; email: string };
async function newPerson(): Promise<Person> {
  const { email, session, access_token } = await register(latchkey);
  const { body } = await admin(`members?q=${encodeURIComponent(email)}`);
  return { token: access_token, memberId: body.items[0].id, userId: session.userId, email };
}
const admin = (path: string, method = 'GET', body?: unknown) =>
  latchkey.api(`/v1/admin/${path}`, { token, method, ...(body !== undefined && { body }) });
const call = (as: Person, path: string, method = 'GET', body?: unknown) =>
  latchkey.api(`/v1/me/organizations/${path}`, { token: as.token, method, ...(body !== undefined && { body }) });
const add = (organizationId: string, { memberId }: Person, roles: string[] = []) =>
  admin(`organizations/${organizationId}/members`, 'POST', { memberId, roles });

/** An organization with an owner, an admin and a member without roles. */
async function team() {
  const [owner, manager, plain] = await Promise.all([newPerson(), newPerson(), newPerson()]);
  const { body } = await latchkey.api('/v1/me/organizations', { token: owner.token, body: { name: 'Acme' } });
  await add(body.id, manager, ['admin']);
  await add(body.id, plain);
  return { id: String(body.id), owner, manager, plain };
}

describe('an owner', () => {
  test('changes name and slug, and sees no metadata', async () => {
    const { id, owner } = await team();
    const slug = `acme-${id.slice(-8)}`;
    const { status, body } = await call(owner, id, 'PATCH', { name: 'Acme Ltd', slug });
    assert.equal(status, 200);
    assert.deepEqual([body.name, body.slug, 'metadata' in body], ['Acme Ltd', slug, false]);
    expectProblem(await call(owner, id, 'PATCH', { metadata: { plan: 'free' } }), 400, 'VALIDATION_FAILED');
    const taken = await team();
    expectProblem(await call(taken.owner, taken.id, 'PATCH', { slug }), 409, 'ALREADY_EXISTS');
  });

  test('lists, reads, changes and removes members; the audit log says who did it', async () => {
    const { id, owner, manager, plain } = await team();
    const list = await call(owner, `${id}/members`);
    assert.equal(list.body.items.length, 3);
    const one = await call(owner, `${id}/members/${plain.memberId}`);
    const { joinedAt, ...record } = one.body;
    assert.ok(Date.parse(joinedAt));
    const { memberId, userId, email } = plain;
    assert.deepEqual(record, { memberId, userId, email, displayName: null, status: 'active', roles: [] });
    const given = await call(owner, `${id}/members/${plain.memberId}/roles`, 'PUT', { roles: ['admin', 'clerk'] });
    assert.deepEqual(given.body.roles, ['admin', 'clerk']);
    assert.equal((await call(owner, `${id}/members/${manager.memberId}`, 'DELETE')).status, 204);
    await eventually(async () => {
      const { body } = await call(owner, `${id}/audit-events`);
      assert.deepEqual(
        body.items.slice(0, 2).map(({ action, actor }: { action: string; actor: unknown }) => ({ action, actor })),
        ['organization.member.removed', 'organization.member.roles.changed'].map((action) => ({
          action,
          actor: { kind: 'customer', userId: owner.userId, setupLinkId: null },
        })),
      );
    });
  });

  test('stays owner if there is no other', async () => {
    const { id, owner } = await team();
    const self = `${id}/members/${owner.memberId}`;
    expectProblem(await call(owner, `${self}/roles`, 'PUT', { roles: ['admin'] }), 409, 'LAST_OWNER');
    expectProblem(await call(owner, self, 'DELETE'), 409, 'LAST_OWNER');
  });

  test('gives a role with permissions of the project only if the role is delegable', async () => {
    const { id, owner, plain } = await team();
    const roles = `${id}/members/${plain.memberId}/roles`;
    const refused = await call(owner, roles, 'PUT', { roles: ['billing'] });
    expectProblem(refused, 403, 'AUTHORIZATION_DENIED');
    assert.equal(refused.body.requiredPermission, 'orders:refund');
    expectProblem(await call(owner, roles, 'PUT', { roles: ['absent'] }), 400, 'VALIDATION_FAILED');
    assert.equal((await call(owner, roles, 'PUT', { roles: ['clerk'] })).status, 200);
    const { body } = await call(owner, `${id}/roles`);
    const grantable = body.items.filter((role: { grantable: boolean }) => role.grantable);
    assert.deepEqual(grantable.map(({ key }: { key: string }) => key).sort(), [
      ...['admin', 'clerk', 'owner', 'reader', 'trustee'],
    ]);
  });

  test('may remove a member who has permissions of the project that the owner lacks, but may not change their roles', async () => {
    const { id, owner, plain } = await team();
    await admin(`organizations/${id}/members/${plain.memberId}/roles`, 'PUT', { roles: ['billing'] });
    const path = `${id}/members/${plain.memberId}`;
    expectProblem(await call(owner, `${path}/roles`, 'PUT', { roles: [] }), 403, 'AUTHORIZATION_DENIED');
    assert.equal((await call(owner, path, 'DELETE')).status, 204);
  });
});

describe('an admin of an organization', () => {
  test('manages members, but may not appoint, change or remove owners', async () => {
    const { id, owner, manager, plain } = await team();
    const roles = (who: Person, keys: string[]) =>
      call(manager, `${id}/members/${who.memberId}/roles`, 'PUT', { roles: keys });
    expectProblem(await roles(plain, ['owner']), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await roles(manager, ['owner']), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await roles(plain, ['trustee']), 403, 'AUTHORIZATION_DENIED');
    await add(id, await newPerson(), ['owner']);
    expectProblem(await roles(owner, []), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await call(manager, `${id}/members/${owner.memberId}`, 'DELETE'), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await call(manager, id, 'PATCH', { name: 'Mine' }), 403, 'AUTHORIZATION_DENIED');
    assert.equal((await roles(plain, ['admin'])).status, 200);
    assert.equal((await call(manager, `${id}/members/${plain.memberId}`, 'DELETE')).status, 204);
  });
});

describe('nobody manages an organization', () => {
  const everything = (id: string, memberId: string): [string, string, unknown?][] => [
    [id, 'PATCH', { name: 'Mine' }],
    [`${id}/members`, 'GET'],
    [`${id}/members/${memberId}`, 'GET'],
    [`${id}/members/${memberId}/roles`, 'PUT', { roles: [] }],
    [`${id}/members/${memberId}`, 'DELETE'],
    [`${id}/roles`, 'GET'],
    [`${id}/audit-events`, 'GET'],
  ];

  test('without a role that allows it', async () => {
    const { id, plain } = await team();
    for (const [path, method, body] of everything(id, plain.memberId)) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await call(plain, path, method, body), 403, 'AUTHORIZATION_DENIED');
    }
    await admin(`organizations/${id}/members/${plain.memberId}/roles`, 'PUT', { roles: ['reader'] });
    assert.equal((await call(plain, `${id}/members`)).status, 200);
    expectProblem(await call(plain, `${id}/audit-events`), 403, 'AUTHORIZATION_DENIED');
  });

  test('that they are not in, not even the owner of another one or the owner of the project', async () => {
    const [mine, theirs] = [await team(), await team()];
    for (const [path, method, body] of everything(theirs.id, theirs.plain.memberId)) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await call(mine.owner, path, method, body), 404, 'NOT_FOUND');
      expectProblem(await call({ ...mine.owner, token }, path, method, body), 404, 'NOT_FOUND');
    }
    const foreign = `${mine.id}/members/${theirs.plain.memberId}`;
    expectProblem(await call(mine.owner, foreign, 'DELETE'), 404, 'NOT_FOUND');
  });

  test('while it is blocked', async () => {
    const { id, owner, plain } = await team();
    assert.equal((await admin(`organizations/${id}/block`, 'POST')).status, 200);
    for (const [path, method, body] of everything(id, plain.memberId)) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await call(owner, path, method, body), 403, 'ORGANIZATION_BLOCKED');
    }
  });

  test('once their role is gone', async () => {
    const { id, owner, manager, plain } = await team();
    await call(owner, `${id}/members/${manager.memberId}/roles`, 'PUT', { roles: [] });
    expectProblem(await call(manager, `${id}/members/${plain.memberId}`, 'DELETE'), 403, 'AUTHORIZATION_DENIED');
  });
});

test('two owners demote each other at once: one stays', async () => {
  const { id, owner, manager } = await team();
  await call(owner, `${id}/members/${manager.memberId}/roles`, 'PUT', { roles: ['owner'] });
  const demote = (as: Person, other: Person) => call(as, `${id}/members/${other.memberId}/roles`, 'PUT', { roles: [] });
  const responses = await Promise.all([demote(owner, manager), demote(manager, owner)]);
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 403]);
});

test('the permissions in an organization grant nothing in the project', async () => {
  const { owner } = await team();
  const { body } = await latchkey.api('/v1/me/authorization', { token: owner.token });
  assert.deepEqual(body.permissions, []);
  const created = await admin('roles', 'POST', { key: 'sly', name: 'Sly', permissions: ['org.members:write'] });
  expectProblem(created, 400, 'VALIDATION_FAILED');
  const added = await admin('permissions', 'POST', { key: 'org.members:write', description: 'Sly' });
  expectProblem(added, 400, 'VALIDATION_FAILED');
});
