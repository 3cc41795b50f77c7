import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { admin } from '#tests/apis.ts';
import {
  eventsOf,
  expectProblem,
  mailedToken,
  managementToken,
  newEmail,
  prove,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

const PATH = '/v1/me/invitations';
const open = async (token: string) => (await latchkey.api(PATH, { token })).body.items;
const accept = (id: string, token: string) => latchkey.api(`${PATH}/${id}/accept`, { token, body: {} });
const decline = (id: string, token: string) => latchkey.api(`${PATH}/${id}/decline`, { token, body: {} });
const newOrganization = (name = 'Acme') => admin(latchkey, 'organizations', { body: { name } });
const inviteTo = (email: string, body: object = {}) => admin(latchkey, 'invitations', { body: { email, ...body } });
const mine = async (token: string): Promise<string[]> =>
  (await latchkey.api('/v1/me/organizations', { token })).body.items.map(({ id }: { id: string }) => id);
/** A person whose address is verified. */
const verified = async () => prove(latchkey, await register(latchkey));

describe('GET /v1/me/invitations', () => {
  test('lists the open ones to the verified address, newest first, with the names of organizations', async () => {
    const { email, access_token: token } = await verified();
    const acme = await newOrganization();
    const [toProject, toAcme, revoked] = [
      await inviteTo(email, { roles: ['viewer'] }),
      await inviteTo(email, { organizationId: acme.id }),
      await inviteTo(email, { organizationId: (await newOrganization('Beta')).id }),
    ];
    await inviteTo(newEmail());
    await admin(latchkey, `invitations/${revoked.id}`, { method: 'DELETE' });
    const { createdAt, expiresAt } = toProject;
    assert.deepEqual(await open(token), [
      {
        id: toAcme.id,
        organization: { id: acme.id, name: 'Acme' },
        roles: [],
        organizationRoles: [],
        createdAt: toAcme.createdAt,
        expiresAt: toAcme.expiresAt,
      },
      { id: toProject.id, organization: null, roles: ['viewer'], organizationRoles: [], createdAt, expiresAt },
    ]);
    const { body } = await latchkey.api(`${PATH}?limit=1`, { token });
    const next = await latchkey.api(`${PATH}?limit=1&cursor=${body.nextCursor}`, { token });
    assert.deepEqual(
      [...body.items, ...next.body.items].map(({ id }) => id),
      [toAcme.id, toProject.id],
    );
  });

  test('has nothing for a person who only says that the address is theirs, and 400 for a cursor of another list', async () => {
    const { email, access_token: token } = await register(latchkey);
    const { id } = await inviteTo(email);
    assert.deepEqual(await open(token), []);
    expectProblem(await accept(id, token), 404, 'NOT_FOUND');
    const proven = await verified();
    await inviteTo(proven.email);
    await inviteTo(proven.email, { organizationId: (await newOrganization()).id });
    const { body } = await latchkey.api(`${PATH}?limit=1`, { token: proven.access_token });
    const other = await verified();
    const foreign = await latchkey.api(`${PATH}?cursor=${body.nextCursor}`, { token: other.access_token });
    expectProblem(foreign, 400, 'INVALID_CURSOR');
  });
});

describe('POST /v1/me/invitations/{id}/accept', () => {
  test('makes the person a member with the roles, once, and the mailed link is used up', async () => {
    const { email, access_token: token } = await verified();
    const acme = await newOrganization();
    const { id } = await inviteTo(email, { organizationId: acme.id, organizationRoles: ['owner'], roles: ['viewer'] });
    const link = await mailedToken(latchkey, email);
    const responses = await Promise.all([accept(id, token), accept(id, token), accept(id, token)]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [204, 404, 404]);
    const { body } = await latchkey.api('/v1/me/organizations', { token });
    assert.deepEqual(
      body.items.map((own: { id: string; roles: string[] }) => [own.id, own.roles]),
      [[acme.id, ['owner']]],
    );
    assert.deepEqual(await open(token), []);
    const byLink = await latchkey.auth('/v1/auth/invitations/accept', { token, body: { token: link } });
    expectProblem(byLink, 400, 'INVALID_TOKEN');
  });

  test('is 404 for an invitation to another person, of another environment, or that has expired or was revoked', async () => {
    const { email, access_token: token } = await verified();
    const other = await verified();
    const { id: foreign } = await inviteTo(other.email);
    const there = { token: await managementToken(latchkey, undefined, 'production'), body: { email } };
    const production = await latchkey.api('/v1/admin/invitations', there, 'production');
    assert.equal(production.status, 201, production.text);
    const { id: expired } = await inviteTo(email);
    await latchkey.system.pool.query(`update invitations set expires_at = now() - interval '1 minute' where id = $1`, [
      expired,
    ]);
    const { id: revoked } = await inviteTo(email, { organizationId: (await newOrganization()).id });
    await admin(latchkey, `invitations/${revoked}`, { method: 'DELETE' });
    const unknown = [foreign, production.body.id, expired, revoked];
    const responses = await Promise.all(unknown.map((id) => accept(id, token)));
    for (const response of responses) expectProblem(response, 404, 'NOT_FOUND');
    assert.equal((await open(other.access_token)).length, 1);
  });

  test('is 404 once its sender could not send it today, and the invitation is revoked', async () => {
    const sender = await verified();
    const { items } = await admin(latchkey, `members?q=${encodeURIComponent(sender.email)}`);
    await admin(latchkey, `members/${items[0].id}/roles`, { method: 'PUT', body: { roles: ['admin'] } });
    const invited = await verified();
    const sent = await latchkey.api('/v1/admin/invitations', {
      token: sender.access_token,
      body: { email: invited.email },
    });
    assert.equal(sent.status, 201, sent.text);
    await admin(latchkey, `members/${items[0].id}/roles`, { method: 'PUT', body: { roles: [] } });
    expectProblem(await accept(sent.body.id, invited.access_token), 404, 'NOT_FOUND');
    assert.deepEqual(await open(invited.access_token), []);
  });

  test('waits while the organization is full', async () => {
    const { email, access_token: token } = await verified();
    const acme = await newOrganization();
    const { id } = await inviteTo(email, { organizationId: acme.id });
    await admin(latchkey, 'settings', { method: 'PATCH', body: { maxOrganizationMembers: 1 } });
    const first = await register(latchkey);
    const { items } = await admin(latchkey, `members?q=${encodeURIComponent(first.email)}`);
    await admin(latchkey, `organizations/${acme.id}/members`, { body: { memberId: items[0].id, roles: [] } });
    expectProblem(await accept(id, token), 409, 'CONFLICT');
    assert.deepEqual(await mine(token), []);
    await admin(latchkey, 'settings', { method: 'PATCH', body: { maxOrganizationMembers: 100 } });
    assert.equal((await accept(id, token)).status, 204);
    assert.deepEqual(await mine(token), [acme.id]);
  });
});

describe('POST /v1/me/invitations/{id}/decline', () => {
  test('ends the invitation and its link, once; the person can be invited again', async () => {
    const { email, access_token: token, session } = await verified();
    const acme = await newOrganization();
    const { id } = await inviteTo(email, { organizationId: acme.id });
    const link = await mailedToken(latchkey, email);
    const responses = await Promise.all([decline(id, token), decline(id, token), decline(id, token)]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [204, 404, 404]);
    assert.deepEqual(await open(token), []);
    expectProblem(await accept(id, token), 404, 'NOT_FOUND');
    const byLink = await latchkey.auth('/v1/auth/invitations/accept', { token, body: { token: link } });
    expectProblem(byLink, 400, 'INVALID_TOKEN');
    assert.equal((await admin(latchkey, `invitations/${id}`)).status, 'declined');
    const { items } = await admin(latchkey, `audit-events?action=invitation.declined&resource=${id}`);
    assert.deepEqual(
      items.map((entry: { actor: { userId: string }; data: object }) => [entry.actor.userId, entry.data]),
      [[session.userId, { invitationId: id, email, organizationId: acme.id, userId: session.userId }]],
    );
    const token_ = await managementToken(latchkey);
    const resent = await latchkey.api(`/v1/admin/invitations/${id}/resend`, { token: token_, body: {} });
    expectProblem(resent, 409, 'CONFLICT');
    const again = await inviteTo(email, { organizationId: acme.id });
    assert.deepEqual(
      (await open(token)).map((own: { id: string }) => own.id),
      [again.id],
    );
  });

  test('at the same moment as accepting: exactly one wins', async () => {
    const { email, access_token: token, session } = await verified();
    const acme = await newOrganization();
    const { id } = await inviteTo(email, { organizationId: acme.id });
    const [accepted, declined] = await Promise.all([accept(id, token), decline(id, token)]);
    assert.deepEqual([accepted.status, declined.status].sort(), [204, 404]);
    const won = accepted.status === 204 ? 'accepted' : 'declined';
    assert.equal((await admin(latchkey, `invitations/${id}`)).status, won);
    assert.deepEqual(await mine(token), won === 'accepted' ? [acme.id] : []);
    const answers = (await eventsOf(latchkey, session.userId)).filter((type) => type.startsWith('invitation.'));
    assert.deepEqual(answers, [`invitation.${won}`]);
  });

  test('is 404 for an invitation that is not to the person, not open, or elsewhere', async () => {
    const { email, access_token: token } = await verified();
    const other = await verified();
    const unproven = await register(latchkey);
    const { id: foreign } = await inviteTo(other.email);
    const { id: claimed } = await inviteTo(unproven.email);
    expectProblem(await decline(claimed, unproven.access_token), 404, 'NOT_FOUND');
    const there = { token: await managementToken(latchkey, undefined, 'production'), body: { email } };
    const production = await latchkey.api('/v1/admin/invitations', there, 'production');
    const { id: accepted } = await inviteTo(email, { organizationId: (await newOrganization()).id });
    assert.equal((await accept(accepted, token)).status, 204);
    const { id: expired } = await inviteTo(email);
    await latchkey.system.pool.query(`update invitations set expires_at = now() - interval '1 minute' where id = $1`, [
      expired,
    ]);
    const { id: revoked } = await inviteTo(email, { organizationId: (await newOrganization()).id });
    await admin(latchkey, `invitations/${revoked}`, { method: 'DELETE' });
    const unknown = [foreign, production.body.id, accepted, expired, revoked];
    const responses = await Promise.all(unknown.map((id) => decline(id, token)));
    for (const response of responses) expectProblem(response, 404, 'NOT_FOUND');
    assert.equal((await open(other.access_token)).length, 1);
    expectProblem(await decline(foreign, ''), 401, 'AUTHENTICATION_REQUIRED');
  });

  test('is a status of its own in the lists of administrators', async () => {
    const { email, access_token: token } = await verified();
    const acme = await newOrganization();
    const [{ id: declined }, { id: revoked }] = [
      await inviteTo(email, { organizationId: acme.id }),
      await inviteTo(newEmail(), { organizationId: acme.id }),
    ];
    assert.equal((await decline(declined, token)).status, 204);
    await admin(latchkey, `invitations/${revoked}`, { method: 'DELETE' });
    const listed = async (status: string) =>
      (await admin(latchkey, `invitations?organizationId=${acme.id}&status=${status}`)).items.map(
        ({ id }: { id: string }) => id,
      );
    assert.deepEqual(await listed('declined'), [declined]);
    assert.deepEqual(await listed('revoked'), [revoked]);
    assert.deepEqual(await listed('pending'), []);
  });
});
