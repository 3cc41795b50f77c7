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
import { waitsForLock } from '#tests/locks.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
});
after(() => latchkey.stop());

const call = (path: string, method = 'GET', body?: unknown, as = token) =>
  latchkey.api(`/v1/admin/${path}`, { token: as, method, ...(body !== undefined && { body }) });

async function newOrganization(): Promise<string> {
  return (await call('organizations', 'POST', { name: 'Acme' })).body.id;
}

async function newMember(): Promise<{ id: string; userId: string; email: string; accessToken: string }> {
  const { email, session, access_token: accessToken } = await register(latchkey, { profile: { displayName: 'Ada' } });
  const { body } = await call(`members?q=${encodeURIComponent(email)}`);
  return { id: body.items[0].id, userId: session.userId, email, accessToken };
}

const join = (organizationId: string, memberId: string, roles: string[] = [], as = token) =>
  call(`organizations/${organizationId}/members`, 'POST', { memberId, roles }, as);
const membersOf = async (organizationId: string): Promise<string[]> =>
  (await call(`organizations/${organizationId}/members`)).body.items.map(
    ({ memberId }: { memberId: string }) => memberId,
  );

describe('members of an organization', () => {
  test('one is added, read, listed, given roles and removed, with an event for each change', async () => {
    const [organizationId, { id: memberId, userId, email }] = [await newOrganization(), await newMember()];
    const { status, body } = await join(organizationId, memberId, ['owner']);
    assert.equal(status, 201);
    const { joinedAt, ...record } = body;
    assert.ok(Date.parse(joinedAt));
    const who = { memberId, userId, email, phone: null, username: null, displayName: 'Ada', status: 'active' };
    assert.deepEqual(record, { ...who, roles: ['owner'] });
    const path = `organizations/${organizationId}/members`;
    assert.deepEqual((await call(`${path}/${memberId}`)).body, body);
    assert.deepEqual((await call(`${path}?role=owner`)).body.items, [body]);
    assert.deepEqual((await call(`${path}?role=absent`)).body.items, []);
    const second = await newMember();
    await join(organizationId, second.id, ['owner']);
    assert.deepEqual((await call(`${path}/${memberId}/roles`, 'PUT', { roles: [] })).body, { ...body, roles: [] });
    assert.equal((await call(`${path}/${memberId}`, 'DELETE')).status, 204);
    expectProblem(await call(`${path}/${memberId}`), 404, 'NOT_FOUND');
    assert.equal((await call(`members/${memberId}`)).status, 200, 'the person stays a member of the project');
    const { rows } = await latchkey.system.pool.query(
      `select type, data->'roles' as roles from events
       where data->>'organizationId' = $1 and data->>'userId' = $2 order by id`,
      [organizationId, userId],
    );
    assert.deepEqual(rows, [
      { type: 'organization.member.added', roles: ['owner'] },
      { type: 'organization.member.roles.changed', roles: [] },
      { type: 'organization.member.removed', roles: null },
    ]);
  });

  test('a person may be in many organizations, with other roles in each; the list of organizations finds them', async () => {
    const member = await newMember();
    const ids = [await newOrganization(), await newOrganization(), await newOrganization()];
    await join(ids[0] ?? '', member.id, ['owner']);
    await join(ids[1] ?? '', member.id);
    const exported = await latchkey.api('/v1/me/profile/export', { token: member.accessToken });
    assert.deepEqual(
      exported.body.organizations.map(({ id, roles }: { id: string; roles: string[] }) => [id, roles]),
      [
        [ids[1], []],
        [ids[0], ['owner']],
      ],
    );
    const { body } = await call(`organizations?memberId=${member.id}`);
    assert.deepEqual(
      body.items.map(({ id }: { id: string }) => id),
      [ids[1], ids[0]],
    );
    assert.deepEqual((await call(`organizations/${ids[1]}/members/${member.id}`)).body.roles, []);
  });

  test('pages are stable and complete; a cursor of another organization is refused', async () => {
    const organizationId = await newOrganization();
    const people = await Promise.all(Array.from({ length: 5 }, () => newMember()));
    await Promise.all(people.map(({ id }) => join(organizationId, id)));
    const path = `organizations/${organizationId}/members`;
    const first = await call(`${path}?limit=3`);
    const second = await call(`${path}?limit=3&cursor=${first.body.nextCursor}`);
    const ids = [...first.body.items, ...second.body.items].map(({ memberId }) => memberId);
    assert.deepEqual(
      ids,
      people
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    assert.equal(second.body.nextCursor, null);
    const other = `organizations/${await newOrganization()}/members`;
    expectProblem(await call(`${other}?cursor=${first.body.nextCursor}`), 400, 'INVALID_CURSOR');
  });

  test('404 for an organization or member that this project does not have', async () => {
    const [organizationId, member] = [await newOrganization(), await newMember()];
    const unknown = '01kaz3w9hqf8p9n2m4v5x6y7z8';
    expectProblem(await join(`org_${unknown}`, member.id), 404, 'NOT_FOUND');
    expectProblem(await join(organizationId, `mem_${unknown}`), 404, 'NOT_FOUND');
    expectProblem(await call(`organizations/org_${unknown}/members`), 404, 'NOT_FOUND');
    expectProblem(await call(`organizations/${organizationId}/members/${member.id}`), 404, 'NOT_FOUND');
    const production = await managementToken(latchkey, undefined, 'production');
    const there = await latchkey.api(
      `/v1/admin/organizations/${organizationId}/members`,
      { token: production, body: { memberId: member.id } },
      'production',
    );
    expectProblem(there, 404, 'NOT_FOUND');
  });

  test('a role that does not exist is refused', async () => {
    const [organizationId, member] = [await newOrganization(), await newMember()];
    for (const role of ['viewer', 'absent']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await join(organizationId, member.id, [role]);
      expectProblem(response, 400, 'VALIDATION_FAILED');
      assert.equal(response.body.errors[0].pointer, '/body/roles/0');
    }
  });

  test('the owner of an organization has no permission in the project', async () => {
    const [organizationId, member] = [await newOrganization(), await newMember()];
    await join(organizationId, member.id, ['owner']);
    const { body } = await latchkey.api('/v1/me/authorization', { token: member.accessToken });
    assert.deepEqual([body.roles, body.permissions], [[], []]);
    expectProblem(await call('organizations', 'GET', undefined, member.accessToken), 403, 'AUTHORIZATION_DENIED');
  });

  test('a change of roles with a stale If-Match is refused', async () => {
    const [organizationId, member] = [await newOrganization(), await newMember()];
    await join(organizationId, member.id);
    const path = `/v1/admin/organizations/${organizationId}/members/${member.id}`;
    const etag = (await latchkey.api(path, { token })).headers.get('etag') ?? '';
    const replace = (roles: string[]) =>
      latchkey.api(`${path}/roles`, { token, method: 'PUT', body: { roles }, headers: { 'if-match': etag } });
    assert.equal((await replace(['owner'])).status, 200);
    expectProblem(await replace([]), 412, 'PRECONDITION_FAILED');
  });
});

describe('at the same time', () => {
  test('twenty additions of one person make one membership', async () => {
    const [organizationId, member] = [await newOrganization(), await newMember()];
    const responses = await Promise.all(Array.from({ length: 20 }, () => join(organizationId, member.id)));
    assert.equal(responses.filter(({ status }) => status === 201).length, 1);
    assert.equal(responses.filter(({ body }) => body.errorCode === 'ALREADY_EXISTS').length, 19);
  });

  test('two owners leave: one stays', async () => {
    const organizationId = await newOrganization();
    const people = [await newMember(), await newMember()];
    for (const { id } of people) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      await join(organizationId, id, ['owner']);
    }
    const [first, second] = people.map(({ id }) => `organizations/${organizationId}/members/${id}`);
    const responses = await Promise.all([call(`${first}`, 'DELETE'), call(`${second}/roles`, 'PUT', { roles: [] })]);
    assert.equal(responses.filter(({ body }) => body?.errorCode === 'LAST_OWNER').length, 1);
  });
});

test('a removal from an organization returns 404 when the project removes the person first', async () => {
  const [organizationId, { id: memberId }] = [await newOrganization(), await newMember()];
  await join(organizationId, memberId);
  const removal = await latchkey.system.pool.connect();
  try {
    await removal.query('begin');
    await removal.query('delete from organization_members where member_id = $1', [memberId]);
    const removed = call(`organizations/${organizationId}/members/${memberId}`, 'DELETE');
    await waitsForLock(latchkey);
    await removal.query('delete from members where id = $1', [memberId]);
    await removal.query('commit');
    expectProblem(await removed, 404, 'NOT_FOUND');
  } finally {
    removal.release();
  }
});

describe('the last owner', () => {
  test('stays while the other owners are blocked in the project', async () => {
    const organizationId = await newOrganization();
    const [owner, blocked] = [await newMember(), await newMember()];
    await join(organizationId, owner.id, ['owner']);
    await join(organizationId, blocked.id, ['owner']);
    assert.equal((await call(`members/${blocked.id}/block`, 'POST')).status, 200);
    const path = `organizations/${organizationId}/members/${owner.id}`;
    expectProblem(await call(path, 'DELETE'), 409, 'LAST_OWNER');
    expectProblem(await call(`${path}/roles`, 'PUT', { roles: [] }), 409, 'LAST_OWNER');
    assert.equal((await call(`${path}/roles`, 'PUT', { roles: ['owner'] })).status, 200);
    assert.equal((await call(`members/${blocked.id}/unblock`, 'POST')).status, 200);
    assert.equal((await call(path, 'DELETE')).status, 204);
  });

  test('stays while the other owners are about to be erased', async () => {
    const organizationId = await newOrganization();
    const [owner, going] = [await newMember(), await newMember()];
    await join(organizationId, owner.id, ['owner']);
    await join(organizationId, going.id, ['owner']);
    assert.equal((await latchkey.api('/v1/me', { token: going.accessToken, method: 'DELETE' })).status, 202);
    expectProblem(await call(`organizations/${organizationId}/members/${owner.id}`, 'DELETE'), 409, 'LAST_OWNER');
  });

  test('is of one organization: an owner of another changes nothing', async () => {
    const [one, other, member] = [await newOrganization(), await newOrganization(), await newMember()];
    await join(one, member.id, ['owner']);
    await join(other, member.id, ['owner']);
    await join(other, (await newMember()).id, ['owner']);
    expectProblem(await call(`organizations/${one}/members/${member.id}`, 'DELETE'), 409, 'LAST_OWNER');
    assert.equal((await call(`organizations/${other}/members/${member.id}`, 'DELETE')).status, 204);
  });
});

describe('a membership ends', () => {
  test('with the membership of the project, even the last owner’s', async () => {
    const [organizationId, member] = [await newOrganization(), await newMember()];
    await join(organizationId, member.id, ['owner']);
    const second = await newOrganization();
    await join(second, member.id);
    assert.equal((await call(`members/${member.id}`, 'DELETE')).status, 204);
    assert.deepEqual(await membersOf(organizationId), []);
    const { rows } = await latchkey.system.pool.query(
      `select data->>'organizationId' as id from events where type = 'organization.member.removed' and data->>'userId' = $1`,
      [member.userId],
    );
    assert.deepEqual(rows.map(({ id }) => id).sort(), [organizationId, second].sort());
  });

  test('when the person leaves the project', async () => {
    const [organizationId, member] = [await newOrganization(), await newMember()];
    await join(organizationId, member.id);
    const left = await latchkey.api(`/v1/me/memberships/${member.id}`, { token: member.accessToken, method: 'DELETE' });
    assert.equal(left.status, 204);
    assert.deepEqual(await membersOf(organizationId), []);
  });

  test('with the organization', async () => {
    const [organizationId, member] = [await newOrganization(), await newMember()];
    await join(organizationId, member.id, ['owner']);
    assert.equal((await call(`organizations/${organizationId}`, 'DELETE')).status, 204);
    assert.deepEqual((await call(`organizations?memberId=${member.id}`)).body.items, []);
    assert.equal((await call(`members/${member.id}`)).status, 200);
  });
});
