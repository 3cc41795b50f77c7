import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  eventually,
  expectProblem,
  newEmail,
  ownerToken,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { teammate } from '#tests/operators.ts';
import { admin, type BackEnd, backEnd, registerNextDoor, signInNextDoor } from './authority.ts';

let latchkey: TestLatchkey;
let support: BackEnd;
let call: ReturnType<typeof admin>;
before(async () => {
  latchkey = await startTestLatchkey();
  support = await backEnd(latchkey, ['members:read', 'members:write', 'sessions:revoke', 'members:import']);
  call = admin(latchkey, support.token);
});
after(() => latchkey.stop());

const memberOf = async (email: string) => (await call('GET', `members?q=${encodeURIComponent(email)}`)).body.items[0];

describe('an account belongs to its person, not to the administrators of one project', () => {
  test('adding a user of a sibling project does not take over their account', async () => {
    const { email } = await registerNextDoor(latchkey);
    const added = await call('POST', 'members', { email });
    assert.equal(added.status, 201);
    const path = `members/${added.body.id}`;
    const evil = newEmail();
    const responses = await Promise.all([
      call('PATCH', path, { email: evil, emailVerified: true }),
      call('PATCH', path, { email, emailVerified: true }),
      call('PATCH', path, { phone: '+4930123456', phoneVerified: true }),
      call('PATCH', path, { username: 'taken-over' }),
      call('PATCH', path, { displayName: 'Taken over' }),
      call('PATCH', path, { customData: { plan: 'free' } }),
      call('POST', `${path}/reset-mfa`),
    ]);
    for (const response of responses) expectProblem(response, 403, 'AUTHORIZATION_DENIED');
    await latchkey.auth('/v1/auth/password/forgot', { body: { identifier: evil } });
    assert.equal((await latchkey.console(`/dev/inbox?to=${encodeURIComponent(evil)}`)).body.items.length, 0);
    assert.equal((await signInNextDoor(latchkey, email, PASSWORD)).status, 200);
    assert.equal((await call('PATCH', path, { metadata: { seat: 7 } })).status, 200);
  });

  test('an account that existed before a project added it stays its person’s, also if it is in no other project', async () => {
    const { email, access_token: token } = await registerNextDoor(latchkey);
    const { id } = (await call('POST', 'members', { email })).body;
    const [membership] = (await latchkey.api('/v1/me/memberships', { token })).body.items.filter(
      ({ projectId }: { projectId: string }) => projectId === latchkey.demo.projects[1]?.id,
    );
    assert.equal((await latchkey.api(`/v1/me/memberships/${membership.id}`, { token, method: 'DELETE' })).status, 204);
    expectProblem(await call('PATCH', `members/${id}`, { email: newEmail() }), 403, 'AUTHORIZATION_DENIED');
  });

  test('an account is its person’s from the moment it joins a sibling project', async () => {
    const { email } = await register(latchkey);
    const { id } = await memberOf(email);
    assert.equal((await call('PATCH', `members/${id}`, { displayName: 'Ours' })).status, 200);
    assert.equal((await signInNextDoor(latchkey, email, PASSWORD)).status, 200);
    expectProblem(await call('PATCH', `members/${id}`, { displayName: 'Theirs' }), 403, 'AUTHORIZATION_DENIED');
  });

  test('ending a user’s sessions ends them in this project only', async () => {
    const { email, access_token: here } = await register(latchkey);
    const { id } = await memberOf(email);
    const next = await signInNextDoor(latchkey, email, PASSWORD);
    assert.equal(next.status, 200);
    assert.deepEqual((await call('POST', `members/${id}/sessions/revoke`)).body, { revoked: 1 });
    assert.equal((await latchkey.api('/v1/me/profile', { token: here })).status, 401);
    assert.equal((await latchkey.api('/v1/me/profile', { token: next.body.access_token })).status, 200);
  });

  test('the team of the workspace manages accounts of all its projects', async () => {
    const { email } = await registerNextDoor(latchkey);
    const { id } = (await call('POST', 'members', { email })).body;
    const operator = await teammate(latchkey, 'support');
    const renamed = await operator.call(`/console/v1/members/${id}`, {
      method: 'PATCH',
      body: { displayName: 'Helped' },
    });
    assert.equal(renamed.status, 200, renamed.text);
  });

  test('the admin API changes nobody’s identifiers', async () => {
    const token = await ownerToken(latchkey);
    const { email } = latchkey.demo.environments.test.owner;
    const own = admin(latchkey, token);
    const { id } = (await own('GET', `members?q=${email}`)).body.items[0];
    expectProblem(await own('PATCH', `members/${id}`, { email: newEmail() }), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await own('POST', `members/${id}/reset-mfa`), 403, 'AUTHORIZATION_DENIED');
  });
});

describe('a project sees no more of an account than it knew', () => {
  const profile = { displayName: 'Private Name' };

  test('of a user that was added, until they enter the project themselves', async () => {
    const { email } = await registerNextDoor(latchkey, { profile });
    const added = (await call('POST', 'members', { email })).body;
    const shown = ['email', 'emailVerified', 'phone', 'username', 'displayName', 'mfaEnabled'];
    assert.deepEqual(
      shown.map((name) => added[name]),
      [email, false, null, null, null, false],
    );
    assert.deepEqual(await memberOf(email), added);
    assert.deepEqual((await call('GET', 'members?q=Private Name')).body.items, []);
    const exported = (await call('GET', 'members/export')).text.split('\n').find((line) => line.includes(added.id));
    assert.ok(exported?.includes(email) && !/Private|customData/.test(exported), exported);
    const login = await latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD } });
    assert.equal(login.status, 200);
    assert.equal((await call('GET', `members/${added.id}`)).body.displayName, 'Private Name');
  });

  test('of a user that was imported', async () => {
    const { email } = await registerNextDoor(latchkey, { profile });
    const headers = { 'content-type': 'application/x-ndjson' };
    const body = JSON.stringify({ email, displayName: 'Mine', customData: {} });
    const began = await latchkey.api('/v1/admin/members/import', { token: support.token, body, headers });
    assert.equal(began.status, 202, began.text);
    const imported = await eventually(async () => {
      const found = await memberOf(email);
      assert.ok(found);
      return found;
    });
    assert.deepEqual([imported.email, imported.displayName], [email, null]);
  });

  test('an export contains password hashes only if requested, permitted, and for the project’s own accounts', async () => {
    const [own, shared] = [await register(latchkey), await register(latchkey)];
    assert.equal((await signInNextDoor(latchkey, shared.email, PASSWORD)).status, 200);
    assert.ok(!(await call('GET', 'members/export')).text.includes('passwordHash'));
    const refused = await call('GET', 'members/export?passwordHashes=true');
    expectProblem(refused, 403, 'AUTHORIZATION_DENIED');
    assert.equal(refused.body.requiredPermission, 'members:credentials');
    const mover = await backEnd(latchkey, ['members:import', 'members:credentials']);
    const { text } = await admin(latchkey, mover.token)('GET', 'members/export?passwordHashes=true');
    const rows: Record<string, unknown>[] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const rowOf = (email: string) => rows.find((row) => row['email'] === email);
    assert.match(String(rowOf(own.email)?.['passwordHash']), /^\$argon2id\$/);
    assert.deepEqual(
      [rowOf(shared.email)?.['passwordHash'], rowOf(shared.email)?.['customData']],
      [undefined, undefined],
    );
  });
});

describe('managing roles does not allow changes to stronger roles', () => {
  test('a stronger role cannot be reduced, renamed or deleted, nor can a permission that a role grants', async () => {
    const owner = admin(latchkey, await ownerToken(latchkey));
    assert.equal((await owner('POST', 'permissions', { key: 'orders:refund', description: 'Refund' })).status, 201);
    const permissions = ['members:write', 'orders:refund'];
    const made = await owner('POST', 'roles', { key: 'strong', name: 'Strong', permissions });
    assert.equal(made.status, 201, made.text);
    const client = await backEnd(latchkey, ['roles:read', 'roles:write', 'permissions:write']);
    const weak = admin(latchkey, client.token);
    const path = `roles/${made.body.id}`;
    const responses = await Promise.all([
      weak('PUT', `${path}/permissions`, { permissions: [] }),
      weak('PATCH', path, { name: 'Weak' }),
      weak('DELETE', path),
      weak('DELETE', 'permissions/orders:refund'),
      weak('POST', 'roles', { key: 'mine', name: 'Mine', permissions: ['members:write'] }),
    ]);
    for (const response of responses) expectProblem(response, 403, 'AUTHORIZATION_DENIED');
    assert.deepEqual((await owner('GET', path)).body.permissions, permissions);
    const own = await weak('POST', 'roles', { key: 'mine', name: 'Mine', permissions: ['roles:read'] });
    assert.equal(own.status, 201);
    assert.equal((await weak('DELETE', `roles/${own.body.id}`)).status, 204);
  });
});
