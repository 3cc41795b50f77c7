import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createProject } from '#environments';
import { addMember } from '#members';
import {
  expectProblem,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { waitsForLock } from '#tests/locks.ts';
import { expectRefusal, newDirectory, SCIM_USER, type TestDirectory } from '#tests/scim.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

async function newPerson() {
  const [directory, email] = [await newDirectory(latchkey), newEmail()];
  const id = await directory.addUser(email, { displayName: 'Ada' });
  const [{ id: memberId, userId }] = (await directory.admin(`members?q=${encodeURIComponent(email)}`)).body.items;
  const member = async () => (await directory.admin(`members/${memberId}`)).body;
  const act = (what: 'block' | 'unblock') => directory.admin(`members/${memberId}/${what}`, { method: 'POST' });
  return { directory, email, id, memberId, userId, member, act };
}

async function setActive({ patch }: TestDirectory, id: string, value: boolean): Promise<void> {
  const { status, text } = await patch(`/Users/${id}`, { op: 'replace', path: 'active', value });
  assert.equal(status, 200, text);
}

describe('an account that a directory created', () => {
  test('is not changed or blocked by it while its person is in another project', async () => {
    const { directory, email, id, userId, member } = await newPerson();
    await latchkey.inProject(async (tx) => {
      const projectId = await createProject(tx, 'Second project');
      await addMember({ ...tx, scope: { ...tx.scope, projectId } }, userId);
    });
    const taken = { displayName: 'Mallory', userName: 'mallory', emails: [{ value: newEmail() }] };
    assert.equal((await directory.patch(`/Users/${id}`, { op: 'replace', value: taken })).status, 200);
    const { email: now, displayName } = await member();
    assert.deepEqual([now, displayName], [email, 'Ada']);
    await setActive(directory, id, false);
    assert.equal((await member()).status, 'active');
    assert.equal((await directory.scim('DELETE', `/Users/${id}`)).status, 204);
    assert.equal((await member()).status, 'active', 'it stays in the project');
  });

  test('stays blocked by an administrator, whatever the directory sends', async () => {
    const { directory, id, member, act } = await newPerson();
    await act('block');
    await setActive(directory, id, false);
    await setActive(directory, id, true);
    assert.equal((await member()).status, 'blocked', 'blocked before the directory did it');
    await act('unblock');
    await setActive(directory, id, false);
    assert.equal((await act('block')).status, 200);
    await setActive(directory, id, true);
    assert.equal((await member()).status, 'blocked', 'blocked after the directory did it');
  });

  test('is unblocked by the directory that blocked it, though its person got a role meanwhile', async () => {
    const { directory, id, memberId, member } = await newPerson();
    await setActive(directory, id, false);
    await directory.admin(`members/${memberId}/roles`, { method: 'PUT', body: { roles: ['viewer'] } });
    assert.equal((await member()).status, 'blocked');
    await setActive(directory, id, true);
    assert.equal((await member()).status, 'active');
  });
});

test('what a directory says about a person is in the export of their data', async () => {
  const [directory, other] = [await newDirectory(latchkey), await newDirectory(latchkey)];
  const person = await register(latchkey);
  const [member] = (await directory.admin(`members?q=${encodeURIComponent(person.email)}`)).body.items;
  await directory.admin(`organizations/${directory.organizationId}/members`, { body: { memberId: member.id } });
  const id = await directory.addUser(person.email, { title: 'Countess', nickName: 'Ada' });
  await other.addUser(newEmail(), { title: 'Somebody else' });
  const { body } = await latchkey.api('/v1/me/profile/export', { token: person.access_token });
  const [record, ...others] = body.directoryRecords;
  assert.deepEqual(others, []);
  assert.deepEqual([record.id, record.organizationId, record.active], [id, directory.organizationId, true]);
  const { title, nickName } = record.attributes;
  assert.deepEqual([title, nickName], ['Countess', 'Ada']);
});

test('a deactivation ends every session in the organization that is refreshed at the same time, and no other', async () => {
  const directory = await newDirectory(latchkey);
  const person = await register(latchkey);
  const [member] = (await directory.admin(`members?q=${encodeURIComponent(person.email)}`)).body.items;
  const { organizationId } = directory;
  await directory.admin(`organizations/${organizationId}/members`, { body: { memberId: member.id } });
  const id = await directory.addUser(person.email);
  const logins = await Promise.all(
    Array.from({ length: 4 }, () =>
      latchkey.auth('/v1/auth/login/password', { body: { identifier: person.email, password: PASSWORD } }),
    ),
  );
  const { workspaceId, projectId } = logins[0]?.body.session ?? {};
  const target = { workspaceId, projectId, environment: 'test', organizationId };
  const inside = await Promise.all(
    logins.map(({ body }) => latchkey.auth('/v1/sessions/switch-context', { token: body.access_token, body: target })),
  );
  const refresh = ({ body }: TestResponse) =>
    latchkey.auth('/v1/sessions/refresh', { body: { refresh_token: body.refresh_token } });
  const [deactivated, ...refreshed] = await Promise.all([
    directory.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
    ...[...logins, ...inside].map(refresh),
  ]);
  assert.equal(deactivated.status, 200, deactivated.text);
  const { rows } = await latchkey.system.pool.query(
    `select id from scope_entries where user_id = $1 and organization_id is not null and revoked_at is null`,
    [person.session.userId],
  );
  assert.deepEqual(rows, []);
  const own = refreshed.slice(0, logins.length);
  assert.deepEqual(
    own.map(({ status }) => status),
    logins.map(() => 200),
  );
  const obtained = refreshed.slice(logins.length).filter(({ status }) => status === 200);
  const later = await Promise.all(
    obtained.flatMap((response) => [
      refresh(response),
      latchkey.api('/v1/me/context', { token: response.body.access_token }),
    ]),
  );
  for (const response of later) expectProblem(response, 401, 'SESSION_REVOKED');
});

describe('a person whom the project removes at the same moment', () => {
  /** The request starts while the removal is not committed. */
  async function whileRemoved(memberId: string, request: () => Promise<TestResponse>): Promise<TestResponse> {
    const removal = await latchkey.system.pool.connect();
    try {
      await removal.query('begin');
      await removal.query('delete from organization_members where member_id = $1', [memberId]);
      await removal.query('delete from members where id = $1', [memberId]);
      const waiting = request();
      await waitsForLock(latchkey);
      await removal.query('commit');
      return await waiting;
    } finally {
      removal.release();
    }
  }

  test('is no user that a group can get', async () => {
    const { directory, id, memberId } = await newPerson();
    const group = await directory.addGroup('Engineers');
    const added = await whileRemoved(memberId, () =>
      directory.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: id }] }),
    );
    expectRefusal(added, 400, 'invalidValue');
    expectRefusal(await directory.scim('GET', `/Users/${id}`), 404);
  });

  test('is not added', async () => {
    const [directory, person] = [await newDirectory(latchkey), await register(latchkey)];
    const [{ id: memberId }] = (await directory.admin(`members?q=${encodeURIComponent(person.email)}`)).body.items;
    await directory.admin(`organizations/${directory.organizationId}/members`, { body: { memberId } });
    const add = () => directory.scim('POST', '/Users', { schemas: [SCIM_USER], userName: person.email });
    expectRefusal(await whileRemoved(memberId, add), 409);
  });
});
