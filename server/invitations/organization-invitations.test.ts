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

describe('members of an organization invite by their permissions in it', () => {
  const asMember = (as: string, path: string, method = 'GET', body?: unknown) =>
    latchkey.api(`/v1/me/organizations/${path}`, { token: as, method, ...(body !== undefined && { body }) });
  const memberIdOf = async (email: string): Promise<string> =>
    (await call(`members?q=${encodeURIComponent(email)}`)).body.items[0].id;

  /** A new person with these roles in an organization. */
  async function insider(organizationId: string, roles: string[]) {
    const { email, access_token: accessToken, session } = await register(latchkey);
    const memberId = await memberIdOf(email);
    const added = await call(`organizations/${organizationId}/members`, 'POST', { memberId, roles });
    assert.equal(added.status, 201, added.text);
    return { accessToken, memberId, userId: session.userId };
  }

  test('they send, list, resend and revoke; an invited person joins both, without roles of the project', async () => {
    const [organizationId, email] = [await newOrganization(), newEmail()];
    const { accessToken, userId } = await insider(organizationId, ['admin']);
    const path = `${organizationId}/invitations`;
    const made = await asMember(accessToken, path, 'POST', { email, roles: ['admin'] });
    assert.equal(made.status, 201, made.text);
    const { id, expiresAt, createdAt, ...record } = made.body;
    assert.ok(Date.parse(expiresAt) > Date.parse(createdAt));
    assert.deepEqual(record, { email, roles: ['admin'], status: 'pending', invitedBy: userId });
    assert.deepEqual((await asMember(accessToken, `${path}?status=pending`)).body.items, [made.body]);
    assert.deepEqual(
      (await call(`invitations?organizationId=${organizationId}`)).body.items.map((item: { id: string }) => item.id),
      [id],
    );
    const first = await mailedToken(latchkey, email);
    assert.equal((await asMember(accessToken, `${path}/${id}/resend`, 'POST')).status, 200);
    expectProblem(await accept({ token: first, password: PASSWORD }), 400, 'INVALID_TOKEN');
    const accepted = await accept({ token: await mailedToken(latchkey, email), password: PASSWORD });
    assert.deepEqual(await mine(accepted.body.access_token), [[organizationId, ['admin']]]);
    const { body } = await latchkey.api('/v1/me/authorization', { token: accepted.body.access_token });
    assert.deepEqual(body.roles, []);
    expectProblem(await asMember(accessToken, `${path}/${id}`, 'DELETE'), 409, 'CONFLICT');
    const second = await asMember(accessToken, path, 'POST', { email: newEmail() });
    assert.equal((await asMember(accessToken, `${path}/${second.body.id}`, 'DELETE')).status, 204);
    const { rows } = await latchkey.system.pool.query(
      `select type from events where data->>'organizationId' = $1 and type like 'invitation.%' order by id`,
      [organizationId],
    );
    assert.deepEqual(
      rows.map(({ type }) => type),
      ['created', 'resent', 'accepted', 'created', 'revoked'].map((what) => `invitation.${what}`),
    );
  });

  test('they give only permissions that they have in the organization', async () => {
    const organizationId = await newOrganization();
    const { accessToken } = await insider(organizationId, ['admin']);
    const send = (body: Record<string, unknown>) =>
      asMember(accessToken, `${organizationId}/invitations`, 'POST', { email: newEmail(), ...body });
    expectProblem(await send({ roles: ['owner'] }), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await send({ roles: ['billing'] }), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await send({ roles: ['absent'] }), 400, 'VALIDATION_FAILED');
    expectProblem(await send({ organizationRoles: ['owner'] }), 400, 'VALIDATION_FAILED');
    expectProblem(await send({ organizationId: await newOrganization() }), 400, 'VALIDATION_FAILED');
  });

  test('they cannot without the permission, in another organization, or while it is blocked', async () => {
    const [organizationId, other] = [await newOrganization(), await newOrganization()];
    const plain = await insider(organizationId, []);
    const { accessToken } = await insider(other, ['owner']);
    const email = newEmail();
    const made = await invite({ email, organizationId });
    const paths = [`${organizationId}/invitations`, `${other}/invitations`];
    expectProblem(await asMember(plain.accessToken, `${paths[0]}`), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await asMember(plain.accessToken, `${paths[0]}`, 'POST', { email }), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await asMember(accessToken, `${paths[0]}`, 'POST', { email }), 404, 'NOT_FOUND');
    for (const path of paths) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await asMember(accessToken, `${path}/${made.body.id}/resend`, 'POST'), 404, 'NOT_FOUND');
      expectProblem(await asMember(accessToken, `${path}/${made.body.id}`, 'DELETE'), 404, 'NOT_FOUND');
    }
    await call(`organizations/${other}/block`, 'POST');
    expectProblem(await asMember(accessToken, `${paths[1]}`, 'POST', { email }), 403, 'ORGANIZATION_BLOCKED');
  });

  test('they cannot change an invitation that gives roles of the project, or more than they have', async () => {
    const organizationId = await newOrganization();
    const { accessToken } = await insider(organizationId, ['admin']);
    for (const gift of [{ roles: ['viewer'] }, { organizationRoles: ['owner'] }, { organizationRoles: ['billing'] }]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { body } = await invite({ email: newEmail(), organizationId, ...gift });
      const path = `${organizationId}/invitations/${body.id}`;
      expectProblem(await asMember(accessToken, `${path}/resend`, 'POST'), 403, 'AUTHORIZATION_DENIED');
      expectProblem(await asMember(accessToken, path, 'DELETE'), 403, 'AUTHORIZATION_DENIED');
    }
  });

  test('an invitation gives nothing after its sender left the organization', async () => {
    const [organizationId, email] = [await newOrganization(), newEmail()];
    const sender = await insider(organizationId, ['admin']);
    await asMember(sender.accessToken, `${organizationId}/invitations`, 'POST', { email });
    const mailed = await mailedToken(latchkey, email);
    await call(`organizations/${organizationId}/members/${sender.memberId}`, 'DELETE');
    expectProblem(await accept({ token: mailed, password: PASSWORD }), 400, 'INVALID_TOKEN');
    assert.deepEqual((await call(`organizations/${organizationId}/members`)).body.items, []);
  });

  test('one address gets up to ten mails in an hour', async () => {
    const [organizationId, email] = [await newOrganization(), newEmail()];
    const { accessToken } = await insider(organizationId, ['admin']);
    const made = await asMember(accessToken, `${organizationId}/invitations`, 'POST', { email });
    const resend = () => asMember(accessToken, `${organizationId}/invitations/${made.body.id}/resend`, 'POST');
    const responses = await Promise.all(Array.from({ length: 10 }, resend));
    assert.deepEqual(
      responses.filter(({ status }) => status !== 200).map(({ status }) => status),
      [429],
    );
  });
});
