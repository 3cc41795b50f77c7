import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Company, exchange, leaveThrough } from '#tests/connections.ts';
import {
  expectProblem,
  mailedCode,
  managementToken,
  newEmail,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';
import { companyPeople } from '#tests/organization-people.ts';
import { expectRefusal, SCIM_USER } from '#tests/scim.ts';

let latchkey: TestLatchkey;
let upstream: Issuer;
before(async () => {
  [latchkey, upstream] = await Promise.all([startTestLatchkey(), startIssuer()]);
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));

const { me, login, memberOf, join, openCompany, newGuest, newJoined } = companyPeople(() => ({ latchkey, upstream }));

/** The directory of a company. */
async function directoryOf(company: Company) {
  const issued = await company.call('/scim/tokens', 'POST', { name: 'Entra ID' });
  assert.equal(issued.status, 201, issued.text);
  const { token } = issued.body;
  const scim = (method: string, path: string, body?: unknown): Promise<TestResponse> =>
    latchkey.api(`/scim/v2${path}`, { token, method, ...(body !== undefined && { body }) });
  const add = (userName: string) => scim('POST', '/Users', { schemas: [SCIM_USER], userName });
  return {
    scim,
    add,
    remove: async (id: string): Promise<void> => {
      assert.equal((await scim('DELETE', `/Users/${id}`)).status, 204);
    },
    setActive: async (id: string, value: boolean): Promise<void> => {
      const Operations = [{ op: 'replace', path: 'active', value }];
      const { status, text } = await scim('PATCH', `/Users/${id}`, {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations,
      });
      assert.equal(status, 200, text);
    },
  };
}

const membersOf = async (company: Company) => (await company.members()).map(({ email }) => email);
const enter = ({ organizationId }: Company, token: string) => {
  const { workspaceId, projects } = latchkey.demo;
  const body = { workspaceId, projectId: projects[0]?.id, environment: 'test', organizationId };
  return latchkey.auth('/v1/sessions/switch-context', { token, body });
};
const context = (token: string) => me('/context', token);

describe('a person of a directory whose account is not the organization’s', () => {
  test('keeps every session of their own when deactivated, and loses what they had through the organization', async () => {
    const { company, other, email, token } = await newGuest();
    const directory = await directoryOf(company);
    const { id } = (await directory.add(email)).body;
    const own = (await login(email)).access_token;
    // They enter an organization at their domain by its connection, so the sessions of their own are elsewhere.
    const there = (await enter(other, own)).body.access_token;
    const here = (await enter(company, own)).body.access_token;
    await directory.setActive(id, false);
    assert.deepEqual(await membersOf(company), []);
    for (const ended of await Promise.all([token, here].map(context))) expectProblem(ended, 401, 'SESSION_REVOKED');
    for (const { status, text } of await Promise.all([own, there].map(context))) assert.equal(status, 200, text);
    await directory.setActive(id, true);
    assert.deepEqual(await membersOf(company), [email]);
    await directory.remove(id);
    assert.deepEqual([await membersOf(company), await membersOf(other)], [[], [email]]);
    assert.equal((await context(own)).status, 200);
  });

  for (const [how, leave] of [
    [
      'who left',
      async ({ company, email }) =>
        me(`/organizations/${company.organizationId}`, (await login(email)).access_token, { method: 'DELETE' }),
    ],
    [
      'whom an administrator removed',
      async ({ company, email }) => company.call(`/members/${await memberOf(email)}`, 'DELETE'),
    ],
  ] as const satisfies readonly (readonly [
    string,
    (guest: Awaited<ReturnType<typeof newGuest>>) => Promise<TestResponse>,
  ])[])
    test(`${how} does not come back by a flag, nor by a new record, but by being added`, async () => {
      const guest = await newGuest();
      const { company, email } = guest;
      const directory = await directoryOf(company);
      const { id } = (await directory.add(email)).body;
      assert.equal((await leave(guest)).status, 204);
      await directory.setActive(id, false);
      await directory.setActive(id, true);
      assert.deepEqual(await membersOf(company), []);
      const log = (await company.call('/scim/log')).body.items;
      assert.match(log[0].detail, /does not come back/);
      await directory.remove(id);
      expectRefusal(await directory.add(email), 409, 'uniqueness');
      assert.deepEqual(await membersOf(company), []);
      await join(company, email);
      const again = await directory.add(email);
      assert.equal(again.status, 201, again.text);
      await directory.setActive(again.body.id, false);
      await directory.setActive(again.body.id, true);
      await directory.setActive(again.body.id, false);
      await join(company, email);
      await directory.setActive(again.body.id, true);
      assert.match((await company.call('/scim/log')).body.items[0].detail, /member of the organization again/);
      assert.deepEqual(await membersOf(company), [email]);
    });

  test('comes back by a new record after the directory removed them', async () => {
    const { company, email } = await newGuest();
    const directory = await directoryOf(company);
    await directory.remove((await directory.add(email)).body.id);
    assert.deepEqual(await membersOf(company), []);
    assert.equal((await directory.add(email)).status, 201);
    assert.deepEqual(await membersOf(company), [email]);
  });

  test('stays away if they leave while the directory takes them out and in', async () => {
    const { company, email } = await newGuest();
    const directory = await directoryOf(company);
    const { id } = (await directory.add(email)).body;
    const { access_token: token } = await login(email);
    await Promise.all([
      me(`/organizations/${company.organizationId}`, token, { method: 'DELETE' }),
      directory.setActive(id, false),
    ]);
    const { rows } = await latchkey.system.pool.query(
      'select by_directory from organization_departures where workspace_id = $1 and organization_id = $2',
      [latchkey.demo.workspaceId, company.organizationId],
    );
    await directory.setActive(id, true);
    assert.deepEqual(await membersOf(company), rows[0].by_directory ? [email] : []);
  });

  test('is let in by no sign-in that was under way when they were deactivated', async () => {
    const { company, claims, email } = await newJoined();
    const directory = await directoryOf(company);
    const { id } = (await directory.add(email)).body;
    const { back } = await leaveThrough(latchkey, upstream, { connectionId: company.connectionId, claims });
    const { code } = await back();
    await directory.setActive(id, false);
    expectProblem(await exchange(latchkey, code), 403, 'MEMBERSHIP_REQUIRED');
  });
});

test('an address that its person proved is changed by the directory only at the mail domains of the organization', async () => {
  const company = await openCompany();
  const directory = await directoryOf(company);
  const emailOf = async (memberId: string) =>
    (await latchkey.api(`/v1/admin/members/${memberId}`, { token: await managementToken(latchkey) })).body.email;
  for (const [address, after] of [
    [newEmail(), 'stays'],
    [company.newEmail(), 'changes'],
  ] as const) {
    // biome-ignore lint/performance/noAwaitInLoops: one person after the other
    const { id } = (await directory.add(address)).body;
    const memberId = await memberOf(address);
    const asked = await latchkey.auth('/v1/auth/login/email-code', { body: { email: address } });
    const proof = { flowId: asked.body.flowId, code: await mailedCode(latchkey, address) };
    assert.equal((await latchkey.auth('/v1/auth/login/email-code/verify', { body: proof })).status, 200);
    const other = newEmail();
    const Operations = [{ op: 'replace', value: { displayName: 'Ada K', emails: [{ value: other }] } }];
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
    assert.equal((await directory.scim('PATCH', `/Users/${id}`, { schemas, Operations })).status, 200);
    assert.equal(await emailOf(memberId), after === 'stays' ? address : other);
  }
});

test('a person whose account the directory alone decides about comes back by its flag, though they left', async () => {
  const company = await openCompany();
  const directory = await directoryOf(company);
  const email = company.newEmail();
  const { id } = (await directory.add(email)).body;
  assert.equal((await company.call(`/members/${await memberOf(email)}`, 'DELETE')).status, 204);
  await directory.setActive(id, false);
  const member = async () =>
    (await latchkey.api(`/v1/admin/members/${await memberOf(email)}`, { token: await managementToken(latchkey) })).body;
  assert.equal((await member()).status, 'blocked');
  await directory.setActive(id, true);
  assert.equal((await member()).status, 'active');
  assert.deepEqual(await membersOf(company), [email]);
});
