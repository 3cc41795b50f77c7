import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApplication } from '#applications';
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
});
after(() => latchkey.stop());

const PATH = '/v1/admin/invitations';
const invite = (body: Record<string, unknown>) => latchkey.api(PATH, { token, body });
const accept = (body: Record<string, unknown>, as?: string) =>
  latchkey.auth('/v1/auth/invitations/accept', { body, ...(as && { token: as }) });
const registerWith = (body: Record<string, unknown>) => latchkey.auth('/v1/auth/register', { body });

async function rolesOf(accessToken: string): Promise<string[]> {
  const { body } = await latchkey.api('/v1/me/authorization', { token: accessToken });
  return body.roles.map(({ key }: { key: string }) => key);
}

describe('what an invitation gives', () => {
  test('BI-3 its roles in the inviting project, whichever application the invited person registers through', async () => {
    const [, second] = latchkey.demo.projects;
    assert.ok(second);
    const elsewhere = await latchkey.inProject(
      (tx) => createApplication(tx, { kind: 'spa', name: 'Elsewhere', redirectUris: ['http://localhost:1/cb'] }),
      { projectId: second.id },
    );
    const email = newEmail();
    await invite({ email, roles: ['owner'] });
    const invitationToken = await mailedToken(latchkey, email);
    const there = await registerWith({ email, password: PASSWORD, invitationToken, clientId: elsewhere.clientId });
    expectProblem(there, 400, 'INVALID_TOKEN');
    const named = { workspaceId: latchkey.demo.workspaceId, projectId: second.id, environment: 'test' };
    expectProblem(await registerWith({ email, password: PASSWORD, invitationToken, ...named }), 400, 'INVALID_TOKEN');
    const here = await registerWith({ email, password: PASSWORD, invitationToken });
    assert.equal(here.body.session?.projectId, latchkey.demo.projects[0]?.id, here.text);
    assert.deepEqual(await rolesOf(here.body.access_token), ['owner']);
  });

  test('nothing in another environment', async () => {
    const email = newEmail();
    await invite({ email });
    const body = { token: await mailedToken(latchkey, email), password: PASSWORD };
    expectProblem(await latchkey.auth('/v1/auth/invitations/accept', { body }, 'production'), 400, 'INVALID_TOKEN');
    assert.equal((await accept(body)).status, 200);
  });

  test('nothing to an account with another address', async () => {
    const email = newEmail();
    await invite({ email });
    const invitationToken = await mailedToken(latchkey, email);
    expectProblem(await registerWith({ email: newEmail(), password: PASSWORD, invitationToken }), 409, 'CONFLICT');
    const typed = email.toUpperCase();
    assert.equal((await registerWith({ email: typed, password: PASSWORD, invitationToken })).status, 200);
  });

  test('roles that were removed since are left out; the others are given', async () => {
    const made = await latchkey.api('/v1/admin/roles', { token, body: { key: 'passing', name: 'Passing' } });
    assert.equal(made.status, 201, made.text);
    const email = newEmail();
    await invite({ email, roles: ['passing', 'viewer'] });
    await latchkey.api(`/v1/admin/roles/${made.body.id}`, { token, method: 'DELETE' });
    const accepted = await accept({ token: await mailedToken(latchkey, email), password: PASSWORD });
    assert.deepEqual(await rolesOf(accepted.body.access_token), ['viewer'], accepted.text);
  });

  test('a member keeps the roles they have', async () => {
    const person = await register(latchkey);
    for (const role of ['viewer', 'admin']) {
      // biome-ignore lint/performance/noAwaitInLoops: one invitation after the other
      await invite({ email: person.email, roles: [role] });
      const accepted = await accept({ token: await mailedToken(latchkey, person.email) }, person.access_token);
      assert.equal(accepted.status, 200, accepted.text);
    }
    assert.deepEqual((await rolesOf(person.access_token)).sort(), ['admin', 'viewer']);
  });

  test('a blocked member stays out, and the invitation stays open', async () => {
    const person = await register(latchkey);
    const [, second] = latchkey.demo.projects;
    const named = { workspaceId: latchkey.demo.workspaceId, projectId: second?.id, environment: 'test' };
    const other = await latchkey.auth('/v1/auth/login/password', {
      body: { identifier: person.email, password: PASSWORD, ...named },
    });
    assert.equal(other.status, 200, other.text);
    const management = await managementToken(latchkey);
    const { body } = await latchkey.api(`/v1/admin/members?q=${person.email}`, { token: management });
    const member = `/v1/admin/members/${body.items[0].id}`;
    await latchkey.api(`${member}/block`, { token: management, method: 'POST' });
    const invitation = await invite({ email: person.email, roles: ['admin'] });
    const mailed = await mailedToken(latchkey, person.email);
    expectProblem(await accept({ token: mailed }, other.body.access_token), 403, 'MEMBER_BLOCKED');
    const { body: shown } = await latchkey.api(`${PATH}/${invitation.body.id}`, { token });
    assert.equal(shown.status, 'pending');
    const { body: still } = await latchkey.api(member, { token: management });
    assert.deepEqual([still.status, still.roles], ['blocked', []]);
  });

  test('twenty parallel acceptances by a person with an account create one membership', async () => {
    const person = await register(latchkey);
    await invite({ email: person.email, roles: ['viewer'] });
    const mailed = await mailedToken(latchkey, person.email);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => accept({ token: mailed }, person.access_token)),
    );
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
  });

  test('a second factor is set up first where the project requires one', async () => {
    await changeSettings(latchkey, { mfa: 'required' });
    const email = newEmail();
    const management = await managementToken(latchkey);
    const invited = await latchkey.api(PATH, { token: management, body: { email } });
    assert.equal(invited.status, 201, invited.text);
    const accepted = await accept({ token: await mailedToken(latchkey, email), password: PASSWORD });
    await changeSettings(latchkey, { mfa: 'optional' });
    assert.deepEqual([accepted.body.status, accepted.body.enrollment], ['mfa_required', ['totp']], accepted.text);
  });
});

describe('/v1/admin/invitations', () => {
  test('409 ALREADY_EXISTS while the address has an open invitation, however it is typed, also in parallel', async () => {
    const email = newEmail();
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, at) => invite({ email: at % 2 ? email.toUpperCase() : email })),
    );
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, ...Array.from({ length: 9 }, () => 409)]);
  });

  test('an ended invitation is neither resent nor revoked, and the address can be invited again', async () => {
    const email = newEmail();
    const { body } = await invite({ email });
    const path = `${PATH}/${body.id}`;
    assert.equal((await latchkey.api(path, { token, method: 'DELETE' })).status, 204);
    expectProblem(await latchkey.api(path, { token, method: 'DELETE' }), 409, 'CONFLICT');
    expectProblem(await latchkey.api(`${path}/resend`, { token, method: 'POST' }), 409, 'CONFLICT');
    assert.equal((await invite({ email })).status, 201);
  });

  test('BI-2 lists by status, newest first; cursors of another list are refused', async () => {
    const [pending, revoked] = [await invite({ email: newEmail() }), await invite({ email: newEmail() })];
    await latchkey.api(`${PATH}/${revoked.body.id}`, { token, method: 'DELETE' });
    const list = async (query: string) => latchkey.api(`${PATH}?${query}`, { token });
    const ids = async (status: string): Promise<string[]> =>
      (await list(`status=${status}&limit=100`)).body.items.map(({ id }: { id: string }) => id);
    assert.equal((await ids('pending'))[0], pending.body.id);
    assert.equal((await ids('revoked'))[0], revoked.body.id);
    const { nextCursor } = (await list('limit=1')).body;
    expectProblem(await list(`limit=1&status=pending&cursor=${nextCursor}`), 400, 'INVALID_CURSOR');
    expectProblem(await list('limit=1&cursor=forged'), 400, 'INVALID_CURSOR');
    expectProblem(await list('limit=101'), 400, 'VALIDATION_FAILED');
    expectProblem(await list('status=unknown'), 400, 'VALIDATION_FAILED');
  });

  test('BI-3 403 without the permission, 404 for an invitation of another project', async () => {
    const { body } = await invite({ email: newEmail() });
    const reader = await managementToken(latchkey, 'invitations:read');
    assert.equal((await latchkey.api(`${PATH}/${body.id}`, { token: reader })).status, 200);
    for (const [path, method] of [
      [PATH, 'POST'],
      [`${PATH}/${body.id}`, 'DELETE'],
      [`${PATH}/${body.id}/resend`, 'POST'],
    ] as const) {
      const call = { token: reader, method, ...(path === PATH && { body: { email: newEmail() } }) };
      // biome-ignore lint/performance/noAwaitInLoops: one route after the other
      const response = await latchkey.api(path, call);
      expectProblem(response, 403, 'AUTHORIZATION_DENIED');
      assert.equal(response.body.requiredPermission, 'invitations:write');
    }
    const customer = await register(latchkey);
    expectProblem(await latchkey.api(PATH, { token: customer.access_token }), 403, 'AUTHORIZATION_DENIED');
    const foreign = await managementToken(latchkey, undefined, 'production');
    expectProblem(await latchkey.api(`${PATH}/${body.id}`, { token: foreign }, 'production'), 404, 'NOT_FOUND');
  });
});
