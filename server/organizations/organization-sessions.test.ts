import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import {
  expectProblem,
  newEmail,
  ownerToken,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
  await admin('permissions', 'POST', { key: 'orders:refund', description: 'Refund' });
  await admin('organization-roles', 'POST', { key: 'billing', name: 'Billing', permissions: ['orders:refund'] });
});
after(() => latchkey.stop());

const admin = (path: string, method = 'GET', body?: unknown) =>
  latchkey.api(`/v1/admin/${path}`, { token, method, ...(body !== undefined && { body }) });

type Person = Awaited<ReturnType<typeof register>> & { memberId: string };
async function newPerson(): Promise<Person> {
  const person = await register(latchkey);
  const { body } = await admin(`members?q=${encodeURIComponent(person.email)}`);
  return { ...person, memberId: body.items[0].id };
}

async function newOrganization(name = 'Acme', slug?: string): Promise<string> {
  const { status, body } = await admin('organizations', 'POST', { name, ...(slug !== undefined && { slug }) });
  assert.equal(status, 201);
  return body.id;
}

async function add(organizationId: string, { memberId }: Person, roles: string[] = []): Promise<void> {
  const { status, text } = await admin(`organizations/${organizationId}/members`, 'POST', { memberId, roles });
  assert.equal(status, 201, text);
}

const enter = (as: { access_token: string }, organizationId: string | null, changes: object = {}) => {
  const { workspaceId, projects } = latchkey.demo;
  const body = { workspaceId, projectId: projects[0]?.id, environment: 'test', organizationId, ...changes };
  return latchkey.auth('/v1/sessions/switch-context', { token: as.access_token, body });
};
const refresh = ({ body }: TestResponse) =>
  latchkey.auth('/v1/sessions/refresh', { body: { refresh_token: body.refresh_token } });
const context = (accessToken: string) => latchkey.api('/v1/me/context', { token: accessToken });

/** A person with a session in an organization, where they have these roles. */
async function inOrganization(roles = ['billing']) {
  const person = await newPerson();
  const organizationId = await newOrganization();
  await add(organizationId, person, roles);
  const entered = await enter(person, organizationId);
  assert.equal(entered.status, 200, entered.text);
  return { person, organizationId, entered };
}

describe('a session in an organization', () => {
  test('has tokens that name the organization and the roles in it, and so does the context', async () => {
    const person = await newPerson();
    const organizationId = await newOrganization('Globex', 'globex');
    await add(organizationId, person, ['billing']);
    const { status, body } = await enter(person, organizationId);
    assert.equal(status, 200);
    assert.equal(body.session.id, person.session.id);
    assert.equal(body.session.organizationId, organizationId);
    const { org_id, org_slug, org_name, org_roles } = decodeJwt(body.access_token);
    assert.deepEqual(
      { org_id, org_slug, org_name, org_roles },
      { org_id: organizationId, org_slug: 'globex', org_name: 'Globex', org_roles: ['billing'] },
    );
    const inside = await context(body.access_token);
    assert.deepEqual(inside.body.organization, {
      id: organizationId,
      name: 'Globex',
      slug: 'globex',
      roles: ['billing'],
      permissions: ['orders:refund'],
    });
    assert.equal(
      (await context(person.access_token)).body.organization,
      null,
      'earlier tokens stay valid outside the organization',
    );
    assert.equal(decodeJwt(person.access_token)['org_id'], undefined);
    const { rows } = await latchkey.system.pool.query(
      `select data->>'organizationId' as id from events where type = 'session.context_switched' and data->>'sessionId' = $1`,
      [person.session.id],
    );
    assert.deepEqual(rows, [{ id: organizationId }]);
  });

  test('stays in it after a refresh and a reauthentication, and leaves it with null', async () => {
    const { organizationId, entered } = await inOrganization();
    const refreshed = await refresh(entered);
    assert.equal(refreshed.body.session.organizationId, organizationId);
    const again = await latchkey.auth('/v1/auth/reauthenticate', {
      token: refreshed.body.access_token,
      body: { password: PASSWORD },
    });
    assert.equal(again.body.session.organizationId, organizationId, again.text);
    assert.equal(decodeJwt(again.body.access_token)['org_id'], organizationId);
    expectProblem(await context(refreshed.body.access_token), 401, 'SESSION_REVOKED');
    const left = await enter(again.body, null);
    assert.equal(left.body.session.organizationId, null);
    assert.equal((await context(left.body.access_token)).body.organization, null);
  });

  test('may be in several at once, each with its own roles', async () => {
    const { person, organizationId, entered } = await inOrganization();
    const other = await newOrganization('Initech');
    await add(other, person, ['owner']);
    const there = await enter(entered.body, other);
    assert.deepEqual(decodeJwt(there.body.access_token)['org_roles'], ['owner']);
    assert.equal((await context(entered.body.access_token)).body.organization.id, organizationId);
    const { body } = await admin(`sessions/${person.session.id}`);
    assert.deepEqual(body.organizationIds, [organizationId, other].sort());
  });

  test('is recorded with its organization as the actor of events', async () => {
    const { person, organizationId, entered } = await inOrganization();
    const changed = await latchkey.api('/v1/me/profile', {
      token: entered.body.access_token,
      method: 'PATCH',
      body: { displayName: 'Ada' },
    });
    assert.equal(changed.status, 200, changed.text);
    const { rows } = await latchkey.system.pool.query(
      `select actor->>'organizationId' as id from events where type = 'profile.updated' and actor->>'userId' = $1`,
      [person.session.userId],
    );
    assert.deepEqual(rows, [{ id: organizationId }]);
  });

  test('gives no permission in the project', async () => {
    const { entered } = await inOrganization(['billing', 'owner']);
    const { access_token: inside } = entered.body;
    const { body } = await latchkey.api('/v1/me/authorization', { token: inside });
    assert.deepEqual([body.roles, body.permissions], [[], []]);
    const check = await latchkey.api('/v1/me/authorization/check', {
      token: inside,
      body: { permission: 'orders:refund' },
    });
    assert.equal(check.body.allowed, false);
    const tried = await Promise.all(
      ['organizations', 'members', 'roles', 'settings'].map((path) =>
        latchkey.api(`/v1/admin/${path}`, { token: inside }),
      ),
    );
    for (const response of tried) expectProblem(response, 403, 'AUTHORIZATION_DENIED');
  });
});

describe('an organization is not entered', () => {
  test('by a person who is not in it; the response is the same as for an unknown one', async () => {
    const person = await newPerson();
    const foreign = await newOrganization();
    expectProblem(await enter(person, foreign), 404, 'NOT_FOUND');
    expectProblem(await enter(person, 'org_01kaz3w9hqf8p9n2m4v5x6y7z8'), 404, 'NOT_FOUND');
  });

  test('from another project of which the person is a member, too', async () => {
    const { person, organizationId } = await inOrganization();
    const { workspaceId, projects } = latchkey.demo;
    const sibling = { workspaceId, projectId: projects[1]?.id };
    const joined = await latchkey.auth('/v1/auth/login/password', {
      body: { ...sibling, identifier: person.email, password: PASSWORD },
    });
    assert.equal(joined.status, 200);
    expectProblem(await enter(joined.body, organizationId, sibling), 404, 'NOT_FOUND');
  });

  test('while it is blocked', async () => {
    const person = await newPerson();
    const organizationId = await newOrganization();
    await add(organizationId, person);
    await admin(`organizations/${organizationId}/block`, 'POST');
    expectProblem(await enter(person, organizationId), 403, 'ORGANIZATION_BLOCKED');
    await admin(`organizations/${organizationId}/unblock`, 'POST');
    assert.equal((await enter(person, organizationId)).status, 200);
  });
});

describe('the sessions in an organization end at once', () => {
  type In = Awaited<ReturnType<typeof inOrganization>>;
  const ENDS: Record<string, { reason: string; by: (at: In) => Promise<TestResponse> }> = {
    'when the member is removed from it': {
      reason: 'organization_member_removed',
      by: ({ organizationId, person }) => admin(`organizations/${organizationId}/members/${person.memberId}`, 'DELETE'),
    },
    'when the person leaves it': {
      reason: 'organization_member_removed',
      by: ({ organizationId, person }) =>
        latchkey.api(`/v1/me/organizations/${organizationId}`, { token: person.access_token, method: 'DELETE' }),
    },
    'when it is blocked': {
      reason: 'organization_blocked',
      by: ({ organizationId }) => admin(`organizations/${organizationId}/block`, 'POST'),
    },
    'when it is deleted': {
      reason: 'organization_deleted',
      by: ({ organizationId }) => admin(`organizations/${organizationId}`, 'DELETE'),
    },
  };
  for (const [when, { reason, by }] of Object.entries(ENDS))
    test(`${when}; the session in the project continues`, async () => {
      const at = await inOrganization();
      const { person, organizationId, entered } = at;
      const bystander = await newPerson();
      const done = await by(at);
      assert.ok([200, 204].includes(done.status), done.text);
      expectProblem(await context(entered.body.access_token), 401, 'SESSION_REVOKED');
      const refused = await refresh(entered);
      expectProblem(refused, 401, 'SESSION_REVOKED');
      assert.deepEqual([refused.body.reason, refused.body.organizationId], [reason, organizationId]);
      assert.equal((await context(person.access_token)).status, 200);
      assert.equal((await context(bystander.access_token)).status, 200);
      const { rows } = await latchkey.system.pool.query(
        `select data->>'reason' as reason from events where type = 'session.entry.revoked' and data->>'organizationId' = $1`,
        [organizationId],
      );
      assert.deepEqual(rows, [{ reason }]);
      expectProblem(
        await enter(person, organizationId),
        reason === 'organization_blocked' ? 403 : 404,
        reason === 'organization_blocked' ? 'ORGANIZATION_BLOCKED' : 'NOT_FOUND',
      );
    });

  test('when the member leaves the project', async () => {
    const { person, entered } = await inOrganization();
    assert.equal((await admin(`members/${person.memberId}`, 'DELETE')).status, 204);
    expectProblem(await context(entered.body.access_token), 401, 'SESSION_REVOKED');
    expectProblem(await refresh(entered), 401, 'SESSION_REVOKED');
  });

  test('also sessions that enter it concurrently', async () => {
    const person = await newPerson();
    const organizationId = await newOrganization();
    await add(organizationId, person);
    const entering = Array.from({ length: 8 }, () => enter(person, organizationId));
    const removing = admin(`organizations/${organizationId}/members/${person.memberId}`, 'DELETE');
    const [entered, removed] = await Promise.all([Promise.all(entering), removing]);
    assert.equal(removed.status, 204);
    const { rows } = await latchkey.system.pool.query(
      'select id from scope_entries where organization_id = $1 and revoked_at is null',
      [organizationId],
    );
    assert.deepEqual(rows, []);
    const inside = await Promise.all(
      entered.filter(({ status }) => status === 200).map(({ body }) => context(body.access_token)),
    );
    for (const response of inside) expectProblem(response, 401, 'SESSION_REVOKED');
  });
});

describe('when the roles in an organization change', () => {
  test('access tokens become invalid at once, and a refresh returns the new roles', async () => {
    const { person, organizationId, entered } = await inOrganization();
    for (const roles of [['owner'], ['billing', 'owner']]) {
      // biome-ignore lint/performance/noAwaitInLoops: one change after the other
      const before = await enter(person, organizationId);
      await admin(`organizations/${organizationId}/members/${person.memberId}/roles`, 'PUT', { roles });
      expectProblem(await context(before.body.access_token), 401, 'SESSION_REVOKED');
      const { status, body } = await refresh(before);
      assert.equal(status, 200);
      assert.deepEqual(decodeJwt(body.access_token)['org_roles'], roles);
      assert.deepEqual((await context(body.access_token)).body.organization.roles, roles);
    }
    expectProblem(await context(entered.body.access_token), 401, 'SESSION_REVOKED');
    assert.equal((await context(person.access_token)).status, 200);
  });

  test('the access tokens of other members stay valid', async () => {
    const { organizationId, entered } = await inOrganization();
    const other = await newPerson();
    await add(organizationId, other, ['billing']);
    await admin(`organizations/${organizationId}/members/${other.memberId}/roles`, 'PUT', { roles: [] });
    assert.equal((await context(entered.body.access_token)).status, 200);
  });
});

test('switch-context accepts an organization only by its id', async () => {
  const person = await newPerson();
  const tried = await Promise.all(
    ['', 'acme', `ses_${newEmail()}`, 7, ['x']].map((organizationId) => enter(person, null, { organizationId })),
  );
  for (const response of tried) expectProblem(response, 400, 'VALIDATION_FAILED');
});
