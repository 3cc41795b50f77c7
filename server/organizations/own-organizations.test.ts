import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  changeSettings,
  expectProblem,
  managementToken,
  ownerToken,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';

const PATH = '/v1/me/organizations';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
  await changeSettings(latchkey, { maxOwnOrganizations: 3 });
});
after(() => latchkey.stop());

type Person = { token: string; memberId: string; userId: string };
async function newPerson(): Promise<Person> {
  const { email, session, access_token } = await register(latchkey);
  const { body } = await admin(`members?q=${encodeURIComponent(email)}`);
  return { token: access_token, memberId: body.items[0].id, userId: session.userId };
}
const admin = (path: string, method = 'GET', body?: unknown) =>
  latchkey.api(`/v1/admin/${path}`, { token, method, ...(body !== undefined && { body }) });
const mine = (as: Person, path = '', method = 'GET', body?: unknown) =>
  latchkey.api(`${PATH}${path}`, { token: as.token, method, ...(body !== undefined && { body }) });
const found = (as: Person, name = 'Acme') => mine(as, '', 'POST', { name });
const add = (organizationId: string, { memberId }: Person, roles: string[] = []) =>
  admin(`organizations/${organizationId}/members`, 'POST', { memberId, roles });

describe('my organizations', () => {
  test('I add one, own it, read it, and administrators see it', async () => {
    const person = await newPerson();
    const { status, body } = await mine(person, '', 'POST', { name: 'Acme', slug: 'my-acme' });
    assert.equal(status, 201);
    const { id, joinedAt, ...record } = body;
    assert.ok(Date.parse(joinedAt));
    const { permissions, ...rest } = record;
    assert.deepEqual(rest, { name: 'Acme', slug: 'my-acme', status: 'active', roles: ['owner'] });
    assert.ok(permissions.every((key: string) => key.startsWith('org.')) && permissions.includes('org.members:write'));
    assert.deepEqual((await mine(person, `/${id}`)).body, body);
    assert.deepEqual((await mine(person)).body, { items: [body], nextCursor: null });
    const members = await admin(`organizations/${id}/members`);
    assert.deepEqual(
      members.body.items.map(({ userId, roles }: { userId: string; roles: string[] }) => [userId, roles]),
      [[person.userId, ['owner']]],
    );
    const { rows } = await latchkey.system.pool.query(
      `select type, actor->>'userId' as actor from events where data->>'organizationId' = $1 order by id`,
      [id],
    );
    assert.deepEqual(
      rows,
      ['organization.created', 'organization.member.added'].map((type) => ({ type, actor: person.userId })),
    );
  });

  test('shows the permissions of my roles in each, and nothing of the metadata', async () => {
    await admin('permissions', 'POST', { key: 'orders:refund', description: 'Refund' });
    await admin('organization-roles', 'POST', { key: 'billing', name: 'Billing', permissions: ['orders:refund'] });
    const person = await newPerson();
    const ids: string[] = [];
    for (const roles of [['billing'], []]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { body } = await admin('organizations', 'POST', { name: 'Acme', metadata: { secret: 'plan' } });
      await add(body.id, person, roles);
      ids.push(body.id);
    }
    const { body, text } = await mine(person);
    assert.deepEqual(
      body.items.map(({ id, permissions }: { id: string; permissions: string[] }) => [id, permissions]),
      [
        [ids[1], []],
        [ids[0], ['orders:refund']],
      ],
    );
    assert.ok(!text.includes('secret'));
    assert.deepEqual((await latchkey.api('/v1/me/authorization', { token: person.token })).body.permissions, []);
  });

  test('are read in pages, newest first', async () => {
    const person = await newPerson();
    const ids = [(await found(person)).body.id, (await found(person)).body.id];
    const first = await mine(person, '?limit=1');
    const second = await mine(person, `?limit=1&cursor=${first.body.nextCursor}`);
    assert.deepEqual([first.body.items[0].id, second.body.items[0].id], ids.toReversed());
    const other = await newPerson();
    expectProblem(await mine(other, `?cursor=${first.body.nextCursor}`), 400, 'INVALID_CURSOR');
  });

  test('are not those of others: 404, also for leaving', async () => {
    const [owner, stranger] = [await newPerson(), await newPerson()];
    const { id } = (await found(owner)).body;
    expectProblem(await mine(stranger, `/${id}`), 404, 'NOT_FOUND');
    expectProblem(await mine(stranger, `/${id}`, 'DELETE'), 404, 'NOT_FOUND');
    const { workspaceId, projects } = latchkey.demo;
    const elsewhere = await register(latchkey, { workspaceId, projectId: projects[1]?.id });
    const nextDoor = { ...stranger, token: elsewhere.access_token };
    expectProblem(await mine(nextDoor, `/${id}`), 404, 'NOT_FOUND');
    assert.deepEqual((await mine(nextDoor)).body.items, []);
    assert.equal((await mine(owner, `/${id}`)).status, 200);
  });

  test('a management token has none', async () => {
    const management = await managementToken(latchkey);
    expectProblem(await latchkey.api(PATH, { token: management }), 403, 'WRONG_TOKEN_KIND');
  });
});

describe('leaving', () => {
  test('ends my membership and nothing else; the last owner stays', async () => {
    const [owner, other] = [await newPerson(), await newPerson()];
    const { id } = (await found(owner)).body;
    await add(id, other, ['billing']);
    expectProblem(await mine(owner, `/${id}`, 'DELETE'), 409, 'LAST_OWNER');
    assert.equal((await mine(other, `/${id}`, 'DELETE')).status, 204);
    expectProblem(await mine(other, `/${id}`), 404, 'NOT_FOUND');
    assert.equal((await latchkey.api('/v1/me/context', { token: other.token })).status, 200);
    await add(id, other, ['owner']);
    assert.equal((await mine(owner, `/${id}`, 'DELETE')).status, 204);
  });

  test('of both owners at the same time: one stays', async () => {
    const [owner, other] = [await newPerson(), await newPerson()];
    const { id } = (await found(owner)).body;
    await add(id, other, ['owner']);
    const responses = await Promise.all([owner, other].map((person) => mine(person, `/${id}`, 'DELETE')));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [204, 409]);
  });
});

describe('the number of organizations that a member may own', () => {
  test('nobody may create an organization unless the project allows it', async () => {
    const person = await newPerson();
    await changeSettings(latchkey, { maxOwnOrganizations: 0 });
    const refused = await found(person);
    await changeSettings(latchkey, { maxOwnOrganizations: 3 });
    expectProblem(refused, 403, 'ORGANIZATIONS_CLOSED');
    assert.deepEqual((await mine(person)).body.items, []);
  });

  test('counts no more than the project’s maximum lets through', async () => {
    const person = await newPerson();
    await changeSettings(latchkey, { maxOrganizations: 0 });
    const refused = await found(person);
    await changeSettings(latchkey, { maxOrganizations: 10_000 });
    expectProblem(refused, 409, 'CONFLICT');
    assert.deepEqual((await mine(person)).body.items, []);
  });
});
