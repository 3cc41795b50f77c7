import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  expectProblem,
  mailedToken,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from './harness.ts';
import { waitsForLock } from './locks.ts';
import { newDirectory, type TestDirectory } from './scim.ts';

let latchkey: TestLatchkey;
let directory: TestDirectory;
before(async () => {
  latchkey = await startTestLatchkey();
  directory = await newDirectory(latchkey);
});
after(() => latchkey.stop());

/**
 * Another transaction takes the first lock, a request starts and waits for it, and the transaction takes its other
 * locks. If the request held one of these, the two would wait for each other.
 */
async function meets(
  first: string,
  others: readonly string[],
  parameters: string[],
  request: () => Promise<TestResponse>,
) {
  const other = await latchkey.system.pool.connect();
  const { workspaceId } = latchkey.demo;
  try {
    await other.query('begin');
    await other.query(first, [parameters[0], workspaceId]);
    const waiting = request();
    await waitsForLock(latchkey);
    for (const [index, statement] of others.entries()) {
      // biome-ignore lint/performance/noAwaitInLoops: one connection, in this order
      await other.query(statement, [parameters[index + 1], workspaceId]);
    }
    await other.query('commit');
    return await waiting;
  } finally {
    other.release();
  }
}

const ORGANIZATION = 'select 1 from organizations where workspace_id = $2 and id = $1 for update';
const MEMBER = 'update members set status = status where workspace_id = $2 and id = $1';
const MEMBERSHIP = 'update organization_members set roles = roles where workspace_id = $2 and member_id = $1';
const USER = 'select 1 from users where workspace_id = $2 and id = $1 for no key update';
const ERASED_USER = 'select 1 from users where workspace_id = $2 and id = $1 for update';
const SESSIONS = 'update sessions set last_seen_at = last_seen_at where workspace_id = $2 and user_id = $1';
const OWNER_ROLE = "select 1 from roles where workspace_id = $2 and project_id = $1 and key = 'owner' for update";
const ENTRIES = 'update scope_entries set version = version + 1 where workspace_id = $2 and user_id = $1';

const projectId = () => String(latchkey.demo.projects[0]?.id);

async function newPerson(organizationId: string) {
  const person = await register(latchkey);
  const [member] = (await directory.admin(`members?q=${encodeURIComponent(person.email)}`)).body.items;
  await directory.admin(`organizations/${organizationId}/members`, { body: { memberId: member.id } });
  return { ...person, memberId: String(member.id), userId: String(member.userId) };
}

async function newOrganization(): Promise<string> {
  return (await directory.admin('organizations', { body: { name: 'Acme' } })).body.id;
}

describe('locks are taken in one order, so these do not wait for each other:', () => {
  test('the deletion of an organization, and an invitation to it that is accepted', async () => {
    const [organizationId, email] = [await newOrganization(), newEmail()];
    await directory.admin('invitations', { body: { email, organizationId } });
    const body = { token: await mailedToken(latchkey, email), password: PASSWORD };
    const accepted = await meets(
      ORGANIZATION,
      ['delete from organizations where workspace_id = $2 and id = $1'],
      [organizationId, organizationId],
      () => latchkey.auth('/v1/auth/invitations/accept', { body }),
    );
    expectProblem(accepted, 400, 'INVALID_TOKEN');
  });

  test('a change in an organization, and a session that enters it', async () => {
    const organizationId = await newOrganization();
    const { memberId, access_token: token } = await newPerson(organizationId);
    const { workspaceId } = latchkey.demo;
    const body = { workspaceId, projectId: projectId(), environment: 'test', organizationId };
    const entered = await meets(ORGANIZATION, [MEMBERSHIP], [organizationId, memberId], () =>
      latchkey.auth('/v1/sessions/switch-context', { token, body }),
    );
    assert.equal(entered.status, 200, entered.text);
  });

  test('a change of roles in an organization, and the removal of the member from the project', async () => {
    const { memberId, userId } = await newPerson(await newOrganization());
    const removed = await meets(MEMBERSHIP, [ENTRIES], [memberId, userId], () =>
      directory.admin(`members/${memberId}`, { method: 'DELETE' }),
    );
    assert.equal(removed.status, 204, removed.text);
  });

  test('the removal of a member, and their session that enters the project or an organization', async () => {
    const organizationId = await newOrganization();
    const { memberId, userId, access_token: token } = await newPerson(organizationId);
    const { workspaceId } = latchkey.demo;
    const target = { workspaceId, projectId: projectId(), environment: 'test' };
    const enter = (body: object) => () => latchkey.auth('/v1/sessions/switch-context', { token, body });
    const inProject = await meets(MEMBER, [SESSIONS], [memberId, userId], enter(target));
    assert.equal(inProject.status, 200, inProject.text);
    const inside = enter({ ...target, organizationId });
    const inOrganization = await meets(MEMBER, [MEMBERSHIP, SESSIONS], [memberId, memberId, userId], inside);
    assert.equal(inOrganization.status, 200, inOrganization.text);
  });

  test('a change of credentials, and the removal of the person from their last project', async () => {
    const { memberId, userId } = await newPerson(await newOrganization());
    const removed = await meets(USER, [SESSIONS, ENTRIES], [userId, userId, userId], () =>
      directory.admin(`members/${memberId}`, { method: 'DELETE' }),
    );
    assert.equal(removed.status, 204, removed.text);
  });

  test('a session that is raised, and the removal of the person from their last project', async () => {
    const { memberId, userId } = await newPerson(await newOrganization());
    const removed = await meets(SESSIONS, [ENTRIES], [userId, userId], () =>
      directory.admin(`members/${memberId}`, { method: 'DELETE' }),
    );
    assert.equal(removed.status, 204, removed.text);
  });

  test('the erasure of a person, and their removal from their last project', async () => {
    const { memberId, userId } = await newPerson(await newOrganization());
    const removed = await meets(ERASED_USER, [OWNER_ROLE], [userId, projectId()], () =>
      directory.admin(`members/${memberId}`, { method: 'DELETE' }),
    );
    assert.equal(removed.status, 204, removed.text);
  });

  test('the erasure of a person, and a block of the member', async () => {
    const { memberId, userId } = await newPerson(await newOrganization());
    const blocked = await meets(ERASED_USER, [OWNER_ROLE], [userId, projectId()], () =>
      directory.admin(`members/${memberId}/block`, { method: 'POST' }),
    );
    assert.equal(blocked.status, 200, blocked.text);
  });

  test('the removal of a member, and an invitation that they accept with their session', async () => {
    const { memberId, userId, email, access_token: token } = await newPerson(await newOrganization());
    await directory.admin('invitations', { body: { email, roles: [] } });
    const body = { token: await mailedToken(latchkey, email) };
    const accepted = await meets(MEMBER, [USER], [memberId, userId], () =>
      latchkey.auth('/v1/auth/invitations/accept', { token, body }),
    );
    assert.equal(accepted.status, 200, accepted.text);
  });

  test('the removal of a member, and a group of the directory that they enter or that gets roles', async () => {
    for (const change of ['members', 'roles']) {
      // biome-ignore-start lint/performance/noAwaitInLoops: one change after the other
      const email = newEmail();
      const id = await directory.addUser(email);
      const [{ id: memberId }] = (await directory.admin(`members?q=${encodeURIComponent(email)}`)).body.items;
      const group = await directory.addGroup(email, change === 'roles' ? [id] : []);
      const roles = `organizations/${directory.organizationId}/scim/groups/${group}/roles`;
      const give = () => directory.admin(roles, { method: 'PUT', body: { roles: ['admin'] } });
      if (change === 'members') assert.equal((await give()).status, 200);
      const changed = await meets(
        MEMBER,
        [MEMBERSHIP, 'delete from scim_users where workspace_id = $2 and member_id = $1'],
        [memberId, memberId, memberId],
        () =>
          change === 'roles'
            ? give()
            : directory.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: id }] }),
      );
      // biome-ignore-end lint/performance/noAwaitInLoops: one change after the other
      assert.equal(changed.status, change === 'roles' ? 200 : 400, changed.text);
    }
  });

  test('the removal of a member, and a directory that deactivates or deletes them', async () => {
    for (const change of ['PATCH', 'DELETE']) {
      // biome-ignore-start lint/performance/noAwaitInLoops: one change after the other
      const email = newEmail();
      const id = await directory.addUser(email);
      const [{ id: memberId }] = (await directory.admin(`members?q=${encodeURIComponent(email)}`)).body.items;
      const changed = await meets(
        MEMBER,
        [MEMBERSHIP, 'update scim_users set version = version where workspace_id = $2 and member_id = $1'],
        [memberId, memberId, memberId],
        () =>
          change === 'DELETE'
            ? directory.scim('DELETE', `/Users/${id}`)
            : directory.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
      );
      // biome-ignore-end lint/performance/noAwaitInLoops: one change after the other
      assert.ok(changed.status < 300, changed.text);
    }
  });
});
