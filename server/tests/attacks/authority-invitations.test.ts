import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { importChunk } from '#imports';
import { systemCtx } from '#platform/ctx.ts';
import {
  eventually,
  expectProblem,
  lastMessage,
  mailedToken,
  newEmail,
  ownerToken,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';
import { type Operator, signInOperator, teammate } from '#tests/operators.ts';
import { admin, type BackEnd, backEnd } from './authority.ts';

let latchkey: TestLatchkey;
let owner: ReturnType<typeof admin>;
let operator: Operator;
before(async () => {
  latchkey = await startTestLatchkey();
  owner = admin(latchkey, await ownerToken(latchkey));
  operator = await signInOperator(latchkey);
});
after(() => latchkey.stop());

const memberOf = async (email: string) => (await owner('GET', `members?q=${encodeURIComponent(email)}`)).body.items[0];

/** A member of the project with a role. */
async function memberWith(role: string): Promise<{ id: string; token: string }> {
  const { email, access_token: token } = await register(latchkey);
  const { id } = await memberOf(email);
  assert.equal((await owner('PUT', `members/${id}/roles`, { roles: [role] })).status, 200);
  return { id, token };
}

type Sent = { id: string; email: string; token: string };

async function invited(by: string, roles: string[]): Promise<Sent> {
  const email = newEmail();
  const { status, body, text } = await admin(latchkey, by)('POST', 'invitations', { email, roles });
  assert.equal(status, 201, text);
  return { id: body.id, email, token: await mailedToken(latchkey, email) };
}

const accept = (token: string): Promise<TestResponse> =>
  latchkey.auth('/v1/auth/invitations/accept', { body: { token, password: PASSWORD } });

async function expectWithdrawn({ id, email, token }: Sent): Promise<void> {
  expectProblem(await accept(token), 400, 'INVALID_TOKEN');
  assert.equal((await owner('GET', `invitations/${id}`)).body.status, 'revoked');
  assert.equal(await memberOf(email), undefined);
  const { rows } = await latchkey.system.pool.query(
    "select type from events where data->>'invitationId' = $1 order by id",
    [id],
  );
  assert.deepEqual(
    rows.map(({ type }) => type),
    ['invitation.created', 'invitation.revoked'],
  );
}

describe('an invitation grants what its sender may grant when it is accepted', () => {
  test('of an owner who has since been removed, blocked or demoted, it makes no owner', async () => {
    const endings: ((id: string) => Promise<TestResponse>)[] = [
      (id) => owner('DELETE', `members/${id}`),
      (id) => owner('POST', `members/${id}/block`),
      (id) => owner('PUT', `members/${id}/roles`, { roles: ['admin'] }),
    ];
    for (const end of endings) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const sender = await memberWith('owner');
      const sent = await invited(sender.token, ['owner']);
      assert.ok((await end(sender.id)).status < 300);
      await expectWithdrawn(sent);
    }
  });

  test('of a client that has since been disabled, deleted or reduced, it is invalid', async () => {
    const endings: ((client: BackEnd) => Promise<TestResponse>)[] = [
      ({ id }) => owner('PATCH', `applications/${id}`, { enabled: false }),
      ({ id }) => owner('DELETE', `applications/${id}`),
      ({ id }) => owner('PATCH', `applications/${id}`, { permissions: ['invitations:write'] }),
    ];
    const role = { key: 'reader', name: 'Reader', permissions: ['members:read'] };
    assert.equal((await owner('POST', 'roles', role)).status, 201);
    for (const end of endings) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const client = await backEnd(latchkey, ['invitations:write', 'members:read']);
      const sent = await invited(client.token, ['reader']);
      assert.ok((await end(client)).status < 300);
      await expectWithdrawn(sent);
    }
  });

  test('a role that has gained permissions is not granted if the sender could not grant it', async () => {
    const role = { key: 'grows', name: 'Grows', permissions: ['members:read'] };
    const { id } = (await owner('POST', 'roles', role)).body;
    const client = await backEnd(latchkey, ['invitations:write', 'members:read']);
    const sent = await invited(client.token, ['grows']);
    const more = { permissions: ['members:read', 'members:write'] };
    assert.equal((await owner('PUT', `roles/${id}/permissions`, more)).status, 200);
    await expectWithdrawn(sent);
  });

  test('of an unchanged sender it is accepted; resending bases it on the permissions of the resender', async () => {
    const sender = await memberWith('owner');
    const sent = await invited(sender.token, ['owner']);
    const weak = admin(latchkey, (await backEnd(latchkey, ['invitations:write'])).token);
    expectProblem(await weak('POST', `invitations/${sent.id}/resend`), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await weak('DELETE', `invitations/${sent.id}`), 403, 'AUTHORIZATION_DENIED');
    assert.equal((await owner('DELETE', `members/${sender.id}`)).status, 204);
    assert.equal((await owner('POST', `invitations/${sent.id}/resend`)).status, 200);
    const token = await eventually(async () => {
      const newer = await mailedToken(latchkey, sent.email);
      assert.notEqual(newer, sent.token);
      return newer;
    });
    assert.equal((await accept(token)).status, 200);
    assert.deepEqual((await memberOf(sent.email)).roles, ['owner']);
  });

  test('of a team member who has since been removed or demoted, it adds nobody to the team', async () => {
    const endings = [{ method: 'DELETE' }, { method: 'PATCH', body: { role: 'admin' } }];
    for (const end of endings) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const boss = await teammate(latchkey, 'owner');
      const email = newEmail();
      const made = await boss.call('/console/v1/team/invitations', { body: { email, role: 'owner' } });
      assert.equal(made.status, 201, made.text);
      const link = /http\S+\/console\/invitation\?token=\S+/.exec((await lastMessage(latchkey, email)).text)?.[0] ?? '';
      const browser = browserOf(latchkey);
      const page = await browser.open(link);
      assert.match(page.text, /Join Demo/);
      const you = (await boss.call('/console/v1/team?limit=100')).body.items.find((item: { you: boolean }) => item.you);
      assert.ok((await operator.call(`/console/v1/team/${you.id}`, end)).status < 300);
      await browser.submit(page, { displayName: 'Sue', password: PASSWORD }, '/console/invitation');
      assert.match((await browser.open(link)).text, /does not work/);
      const invitations = (await operator.call('/console/v1/team/invitations')).body.items;
      assert.equal(invitations.find((item: { email: string }) => item.email === email).status, 'revoked');
    }
  });
});

describe('an import continues with the current permissions of its initiator', () => {
  let idle: TestLatchkey;
  let call: ReturnType<typeof admin>;
  before(async () => {
    // Without a worker, so that each import waits until the test runs it.
    idle = await startTestLatchkey({ settings: { LATCHKEY_ROLES: 'auth,api,console' } });
    call = admin(idle, await ownerToken(idle));
  });
  after(() => idle.stop());

  for (const { fate, lose } of [
    { fate: 'was removed', lose: (path: string) => call('DELETE', path) },
    { fate: 'lost the permission', lose: (path: string) => call('PATCH', path, { permissions: ['members:read'] }) },
  ])
    test(`an initiator who ${fate} adds nobody`, async () => {
      const client = await backEnd(idle, ['members:import', 'members:read']);
      const headers = { 'content-type': 'application/x-ndjson' };
      const rows = [{ email: newEmail() }, { email: newEmail(), roles: ['viewer'] }];
      const body = rows.map((row) => JSON.stringify(row)).join('\n');
      const began = await idle.api('/v1/admin/members/import', { token: client.token, body, headers });
      assert.equal(began.status, 202, began.text);
      const lost = await lose(`applications/${client.id}`);
      assert.ok(lost.status < 300, lost.text);
      const { workspaceId, projects } = idle.demo;
      const scope = { workspaceId, projectId: projects[0]?.id ?? 'prj_', environment: 'test' } as const;
      await importChunk(systemCtx(idle.system, scope, 'test', 'test'), began.body.id);
      const { body: read } = await call('GET', `members/import/${began.body.id}?limit=100`);
      assert.deepEqual([read.status, read.created, read.failed], ['completed', 0, 2]);
      for (const { errors } of read.report) assert.match(errors[0].message, /no longer import/);
      const found = await Promise.all(rows.map(({ email }) => call('GET', `members?q=${encodeURIComponent(email)}`)));
      assert.deepEqual(
        found.map((list) => list.body.items),
        [[], []],
      );
    });
});

describe('the public status belongs to the installation', () => {
  test('an administrator outside its team cannot grant the permission to write it', async () => {
    const outsider = await teammate(latchkey, 'owner');
    const call = (path: string, body: unknown) => outsider.call(`/console/v1/${path}`, { body });
    const permissions = ['status:write'];
    const responses = await Promise.all([
      call('status/incidents', { title: 'All is lost', severity: 'critical' }),
      call('applications', { kind: 'management', name: 'Writes', permissions }),
      call('roles', { key: 'writes', name: 'Writes', permissions }),
      call('invitations', { email: newEmail(), roles: ['owner'] }),
    ]);
    for (const response of responses) {
      expectProblem(response, 403, 'AUTHORIZATION_DENIED');
      assert.equal(response.body.requiredPermission, 'status:write');
    }
    const made = await operator.call('/console/v1/roles', { body: { key: 'speaks', name: 'Speaks', permissions } });
    assert.equal(made.status, 201, made.text);
  });

  test('in other projects it is a permission like any other', async () => {
    const outsider = await teammate(latchkey, 'owner');
    const headers = { 'x-project-id': latchkey.demo.projects[1]?.id };
    const invitation = { email: newEmail(), roles: ['owner'] };
    const made = await outsider.call('/console/v1/invitations', { body: invitation, headers });
    assert.equal(made.status, 201, made.text);
  });
});
