import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  changeSettings,
  expectProblem,
  mailedToken,
  managementToken,
  newEmail,
  ownerToken,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
  await call('permissions', 'POST', { key: 'orders:refund', description: 'Refund orders' });
  await call('organization-roles', 'POST', { key: 'billing', name: 'Billing', permissions: ['orders:refund'] });
});
after(() => latchkey.stop());

const call = (path: string, method = 'GET', body?: unknown, as = token) =>
  latchkey.api(`/v1/admin/${path}`, { token: as, method, ...(body !== undefined && { body }) });
const invite = (body: Record<string, unknown>, as = token) => call('invitations', 'POST', body, as);
const accept = (body: Record<string, unknown>, as?: string) =>
  latchkey.auth('/v1/auth/invitations/accept', { body, ...(as && { token: as }) });
const newOrganization = async (): Promise<string> => (await call('organizations', 'POST', { name: 'Acme' })).body.id;
const mine = async (as: string): Promise<[string, string[]][]> =>
  (await latchkey.api('/v1/me/organizations', { token: as })).body.items.map(
    ({ id, roles }: { id: string; roles: string[] }) => [id, roles],
  );

describe('an invitation to an organization', () => {
  test('makes a new person a member of the project and of the organization, with the roles of each', async () => {
    const [email, organizationId] = [newEmail(), await newOrganization()];
    const made = await invite({ email, roles: ['viewer'], organizationId, organizationRoles: ['billing', 'owner'] });
    assert.deepEqual(
      [made.status, made.body.organizationId, made.body.organizationRoles],
      [201, organizationId, ['billing', 'owner']],
    );
    const accepted = await accept({ token: await mailedToken(latchkey, email), password: PASSWORD });
    assert.equal(accepted.status, 200, accepted.text);
    const { access_token: person } = accepted.body;
    assert.deepEqual(await mine(person), [[organizationId, ['billing', 'owner']]]);
    const { body } = await latchkey.api('/v1/me/authorization', { token: person });
    assert.deepEqual(
      body.roles.map(({ key }: { key: string }) => key),
      ['viewer'],
    );
    const { rows } = await latchkey.system.pool.query(
      `select data->'roles' as roles from events where type = 'organization.member.added' and data->>'organizationId' = $1`,
      [organizationId],
    );
    assert.deepEqual(rows, [{ roles: ['billing', 'owner'] }]);
  });

  test('adds roles to those that a member has; one for each organization may be open', async () => {
    const person = await register(latchkey);
    const [one, other] = [await newOrganization(), await newOrganization()];
    assert.equal((await invite({ email: person.email, organizationId: one })).status, 201);
    const first = await mailedToken(latchkey, person.email);
    assert.equal((await accept({ token: first }, person.access_token)).status, 200);
    assert.deepEqual(await mine(person.access_token), [[one, []]]);
    assert.equal(
      (await invite({ email: person.email, organizationId: one, organizationRoles: ['billing'] })).status,
      201,
    );
    const second = await mailedToken(latchkey, person.email);
    assert.equal((await invite({ email: person.email, organizationId: other })).status, 201);
    expectProblem(await invite({ email: person.email, organizationId: other }), 409, 'ALREADY_EXISTS');
    assert.equal((await accept({ token: second }, person.access_token)).status, 200);
    assert.deepEqual(await mine(person.access_token), [[one, ['billing']]]);
  });

  test('is refused for an organization of another environment, an unknown role, and roles without an organization', async () => {
    const production = await managementToken(latchkey, undefined, 'production');
    const organizationId = await newOrganization();
    const there = { token: production, body: { email: newEmail(), organizationId } };
    expectProblem(await latchkey.api('/v1/admin/invitations', there, 'production'), 404, 'NOT_FOUND');
    const email = newEmail();
    const unknown = await invite({ email, organizationId, organizationRoles: ['absent'] });
    expectProblem(unknown, 400, 'VALIDATION_FAILED');
    assert.equal(unknown.body.errors[0].pointer, '/body/organizationRoles/0');
    expectProblem(await invite({ email, organizationRoles: ['billing'] }), 400, 'VALIDATION_FAILED');
  });

  test('takes what adding a member takes, also to mail or revoke it again', async () => {
    const [email, organizationId] = [newEmail(), await newOrganization()];
    const inviting = await managementToken(latchkey, 'invitations:write');
    expectProblem(await invite({ email, organizationId }, inviting), 403, 'AUTHORIZATION_DENIED');
    const both = await managementToken(latchkey, 'invitations:write organizations:write');
    const strong = { email, organizationId, organizationRoles: ['billing'] };
    expectProblem(await invite(strong, both), 403, 'AUTHORIZATION_DENIED');
    const made = await invite({ email, organizationId, organizationRoles: ['owner'] }, both);
    assert.equal(made.status, 201, made.text);
    const path = `invitations/${made.body.id}`;
    expectProblem(await call(`${path}/resend`, 'POST', undefined, inviting), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await call(path, 'DELETE', undefined, inviting), 403, 'AUTHORIZATION_DENIED');
    assert.equal((await call(`${path}/resend`, 'POST', undefined, both)).status, 200);
  });

  test('gives nothing when its sender may no longer add members', async () => {
    const email = newEmail();
    const organizationId = await newOrganization();
    const role = { key: 'inviter', name: 'Inviter', permissions: ['invitations:write', 'organizations:write'] };
    const { body: inviter } = await call('roles', 'POST', role);
    const sender = await register(latchkey);
    const found = await call(`members?q=${encodeURIComponent(sender.email)}`);
    const give = (roles: string[]) => call(`members/${found.body.items[0].id}/roles`, 'PUT', { roles });
    assert.equal((await give(['inviter'])).status, 200);
    assert.equal((await invite({ email, organizationId }, sender.access_token)).status, 201);
    const mailed = await mailedToken(latchkey, email);
    await call(`roles/${inviter.id}/permissions`, 'PUT', { permissions: ['invitations:write'] });
    expectProblem(await accept({ token: mailed, password: PASSWORD }), 400, 'INVALID_TOKEN');
    assert.deepEqual((await call(`organizations/${organizationId}/members`)).body.items, []);
  });

  test('ends with the organization; a role that was deleted is left out', async () => {
    const [email, organizationId] = [newEmail(), await newOrganization()];
    await call('organization-roles', 'POST', { key: 'passing', name: 'Passing' });
    await invite({ email, organizationId, organizationRoles: ['passing', 'billing'] });
    assert.equal((await call('organization-roles/passing', 'DELETE')).status, 204);
    const accepted = await accept({ token: await mailedToken(latchkey, email), password: PASSWORD });
    assert.deepEqual(await mine(accepted.body.access_token), [[organizationId, ['billing']]]);
    const late = newEmail();
    await invite({ email: late, organizationId });
    const mailed = await mailedToken(latchkey, late);
    assert.equal((await call(`organizations/${organizationId}`, 'DELETE')).status, 204);
    expectProblem(await accept({ token: mailed, password: PASSWORD }), 400, 'INVALID_TOKEN');
  });

  test('waits while the organization is full', async () => {
    const [person, organizationId] = [await register(latchkey), await newOrganization()];
    const other = await register(latchkey);
    const found = await call(`members?q=${encodeURIComponent(other.email)}`);
    await call(`organizations/${organizationId}/members`, 'POST', { memberId: found.body.items[0].id });
    await invite({ email: person.email, organizationId });
    const mailed = await mailedToken(latchkey, person.email);
    await changeSettings(latchkey, { maxOrganizationMembers: 1 });
    const full = await accept({ token: mailed }, person.access_token);
    await changeSettings(latchkey, { maxOrganizationMembers: 1_000 });
    expectProblem(full, 409, 'CONFLICT');
    assert.equal((await accept({ token: mailed }, person.access_token)).status, 200);
    assert.deepEqual(await mine(person.access_token), [[organizationId, []]]);
  });

  test('twenty parallel acceptances make one membership', async () => {
    const [person, organizationId] = [await register(latchkey), await newOrganization()];
    await invite({ email: person.email, organizationId, organizationRoles: ['owner'] });
    const mailed = await mailedToken(latchkey, person.email);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => accept({ token: mailed }, person.access_token)),
    );
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    assert.deepEqual(await mine(person.access_token), [[organizationId, ['owner']]]);
  });
});
