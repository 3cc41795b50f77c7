import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eraseUserJob } from '#people';
import {
  eventually,
  expectProblem,
  lastMessage,
  newEmail,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { waitsForLock } from '#tests/locks.ts';
import { browserOf } from '#tests/oidc.ts';
import { newOperator, type Operator, signInOperator, teammate } from '#tests/operators.ts';
import { workspaceScope } from './edge.ts';
import { addTeamMember, lockRoleOf } from './team.ts';
import type { TeamRole } from './team-roles.ts';

let latchkey: TestLatchkey;
let owner: Operator;
before(async () => {
  latchkey = await startTestLatchkey();
  owner = await signInOperator(latchkey);
});
after(() => latchkey.stop());

const TEAM = '/console/v1/team';
const INVITATIONS = `${TEAM}/invitations`;

async function memberId(role: string): Promise<string> {
  const { body } = await owner.call(`${TEAM}?limit=100`);
  return body.items.find((item: { role: string; you: boolean }) => item.role === role && !item.you).id;
}

describe('the team of a workspace', () => {
  test('an invitation adds a newcomer with its role, once', async () => {
    const email = newEmail();
    const invited = await owner.call(INVITATIONS, { body: { email, role: 'support' } });
    assert.equal(invited.status, 201, invited.text);
    assert.deepEqual([invited.body.status, invited.body.role], ['pending', 'support']);
    expectProblem(await owner.call(INVITATIONS, { body: { email, role: 'viewer' } }), 409, 'ALREADY_EXISTS');
    const mail = await lastMessage(latchkey, email);
    assert.match(mail.subject, /Demo/);
    const link = /http\S+\/console\/invitation\?token=\S+/.exec(mail.text)?.[0] ?? '';
    const browser = browserOf(latchkey);
    const page = await browser.open(link);
    assert.match(page.text, /Join Demo/);
    const weak = await browser.submit(page, { displayName: 'Sue', password: 'password' }, '/console/invitation');
    assert.match(weak.text, /role="alert"/);
    const password = 'a long and unusual password';
    const joined = await browser.submit(page, { displayName: 'Sue', password }, '/console/invitation');
    assert.match(joined.url, /\/sign-in\//);
    const support = await signInOperator(latchkey, { email, password });
    const session = (await support.call('/console/v1/session')).body;
    assert.deepEqual(
      session.workspaces.map(({ name, role }: { name: string; role: string }) => [name, role]),
      [['Demo', 'support']],
    );
    assert.equal(session.operator.displayName, 'Sue');
    assert.match((await browser.open(link)).text, /does not work/);
    const { body } = await owner.call(INVITATIONS);
    assert.equal(body.items[0].status, 'accepted');
    expectProblem(await owner.call(INVITATIONS, { body: { email, role: 'viewer' } }), 409, 'ALREADY_EXISTS');
  });

  test('a resent invitation has a new link; a revoked one has none', async () => {
    const email = newEmail();
    const { id } = (await owner.call(INVITATIONS, { body: { email, role: 'viewer' } })).body;
    const linkIn = async () =>
      /http\S+\/console\/invitation\?token=\S+/.exec((await lastMessage(latchkey, email)).text)?.[0] ?? '';
    const first = await linkIn();
    assert.equal((await owner.call(`${INVITATIONS}/${id}/resend`, { method: 'POST' })).status, 200);
    const browser = browserOf(latchkey);
    assert.match((await browser.open(first)).text, /does not work/);
    const second = await eventually(async () => {
      const link = await linkIn();
      assert.notEqual(link, first);
      return link;
    });
    assert.match((await browser.open(second)).text, /Join Demo/);
    assert.equal((await owner.call(`${INVITATIONS}/${id}`, { method: 'DELETE' })).status, 204);
    assert.match((await browser.open(second)).text, /does not work/);
    expectProblem(await owner.call(`${INVITATIONS}/${id}`, { method: 'DELETE' }), 409, 'CONFLICT');
  });

  test('a changed role is effective on the next request; a removed member is refused', async () => {
    const viewer = await teammate(latchkey, 'viewer');
    expectProblem(
      await viewer.call('/console/v1/roles', { body: { key: 'vip', name: 'VIP', permissions: [] } }),
      403,
      'AUTHORIZATION_DENIED',
    );
    const id = await memberId('viewer');
    assert.equal((await owner.call(`${TEAM}/${id}`, { method: 'PATCH', body: { role: 'developer' } })).status, 200);
    const made = await viewer.call('/console/v1/roles', { body: { key: 'vip', name: 'VIP', permissions: [] } });
    assert.equal(made.status, 201, made.text);
    assert.equal((await owner.call(`${TEAM}/${id}`, { method: 'DELETE' })).status, 204);
    expectProblem(await viewer.call('/console/v1/roles'), 403, 'MEMBERSHIP_REQUIRED');
  });

  test('a change of a role waits for whatever is done with it at the time', async () => {
    const { userId } = await newOperator(latchkey);
    const scope = workspaceScope(latchkey.demo.workspaceId);
    await latchkey.inProject((tx) => addTeamMember({ ...tx, scope }, userId, 'developer'));
    const { items } = (await owner.call(`${TEAM}?limit=100`)).body;
    const member = items.find((item: { userId: string }) => item.userId === userId);
    for (const [method, body, status] of [
      ['PATCH', { role: 'viewer' }, 200],
      ['DELETE', undefined, 204],
    ] as const) {
      const end = Promise.withResolvers<void>();
      const act = () => {
        const began = Promise.withResolvers<TeamRole | null>();
        const ended = latchkey.inProject(async (tx) => {
          began.resolve(await lockRoleOf({ ...tx, scope }, userId));
          await end.promise;
        });
        return { role: began.promise, ended };
      };
      const acts = [act(), act()];
      // biome-ignore lint/performance/noAwaitInLoops: one change after the other
      const roles = await Promise.all(acts.map(({ role }) => role));
      assert.deepEqual(roles, method === 'PATCH' ? ['developer', 'developer'] : ['viewer', 'viewer']);
      const changing = owner.call(`${TEAM}/${member.id}`, { method, body });
      await waitsForLock(latchkey);
      end.resolve();
      await Promise.all(acts.map(({ ended }) => ended));
      assert.equal((await changing).status, status);
    }
    assert.equal(await latchkey.inProject((tx) => lockRoleOf({ ...tx, scope }, userId)), null);
  });

  test('an admin cannot add or remove owners', async () => {
    const admin = await teammate(latchkey, 'admin');
    const { body } = await admin.call(TEAM);
    const theOwner = body.items.find(({ role }: { role: string }) => role === 'owner').id;
    const own = body.items.find(({ you }: { you: boolean }) => you).id;
    for (const response of await Promise.all([
      admin.call(`${TEAM}/${own}`, { method: 'PATCH', body: { role: 'owner' } }),
      admin.call(`${TEAM}/${theOwner}`, { method: 'DELETE' }),
      admin.call(INVITATIONS, { body: { email: newEmail(), role: 'owner' } }),
    ]))
      expectProblem(response, 403, 'AUTHORIZATION_DENIED');
  });

  test('the last owner stays; two owners who remove each other at once leave one', async () => {
    const { body } = await owner.call(TEAM);
    const own = body.items.find(({ you }: { you: boolean }) => you).id;
    expectProblem(await owner.call(`${TEAM}/${own}`, { method: 'DELETE' }), 409, 'LAST_OWNER');
    expectProblem(await owner.call(`${TEAM}/${own}`, { method: 'PATCH', body: { role: 'admin' } }), 409, 'LAST_OWNER');
    const second = await teammate(latchkey, 'owner');
    const other = await memberId('owner');
    const responses = await Promise.all([
      owner.call(`${TEAM}/${other}`, { method: 'DELETE' }),
      second.call(`${TEAM}/${own}`, { method: 'DELETE' }),
    ]);
    assert.equal(responses.filter(({ status }) => status === 204).length, 1, responses.map(({ text }) => text).join());
    const { rows } = await latchkey.system.pool.query(
      `select count(*) from team_members where workspace_id = $1 and role = 'owner'`,
      [latchkey.demo.workspaceId],
    );
    assert.equal(rows[0].count, 1);
  });

  test('the only owner of a workspace cannot be erased; an erased operator is removed from every team', async () => {
    const { system } = latchkey;
    const tokenOf = async (person: { email: string; password: string }) => {
      const { location } = Object.fromEntries((await latchkey.console('/console/v1/sign-in')).headers);
      const clientId = new URL(location ?? '').searchParams.get('client_id');
      const body = { clientId, identifier: person.email, password: person.password };
      return (await latchkey.auth('/v1/auth/login/password', { body }, 'production')).body.access_token;
    };
    const erase = async (person: { email: string; password: string }) =>
      latchkey.api('/v1/me', { token: await tokenOf(person), method: 'DELETE' }, 'production');
    const alone = await newOperator(latchkey);
    const made = await owner.call('/console/v1/workspaces', { body: { name: 'Alone' } });
    assert.equal(made.status, 201, made.text);
    const inside = workspaceScope(made.body.id);
    const friend = await newOperator(latchkey);
    for (const { email } of [alone, friend]) {
      const body = { email, role: 'developer' };
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const invited = await owner.call('/console/v1/team/invitations', {
        body,
        headers: { 'x-workspace-id': made.body.id },
      });
      assert.equal(invited.status, 201, invited.text);
    }
    await latchkey.inProject((tx) => addTeamMember({ ...tx, scope: inside }, alone.userId, 'owner'));
    const there = { headers: { 'x-workspace-id': made.body.id } };
    const { body: team } = await owner.call(TEAM, there);
    const maker = team.items.find(({ you }: { you: boolean }) => you).id;
    assert.equal((await owner.call(`${TEAM}/${maker}`, { method: 'DELETE', ...there })).status, 204);
    expectProblem(await erase(alone), 409, 'LAST_OWNER');

    await latchkey.inProject((tx) => addTeamMember({ ...tx, scope: inside }, friend.userId, 'owner'));
    const [first, second] = await Promise.all([erase(alone), erase(friend)]);
    assert.deepEqual([first.status, second.status].sort(), [202, 409], `${first.text} ${second.text}`);
    const [gone, stays] = first.status === 202 ? [alone, friend] : [friend, alone];
    // An owner whose erasure is scheduled does not count.
    const remaining = await signInOperator(latchkey, stays);
    const { body: left } = await remaining.call(TEAM, there);
    const own = left.items.find(({ you }: { you: boolean }) => you).id;
    expectProblem(await remaining.call(`${TEAM}/${own}`, { method: 'DELETE', ...there }), 409, 'LAST_OWNER');

    const { rows: scheduled } = await system.pool.query(
      'update users set erase_at = now() where id = $1 returning workspace_id, environment',
      [gone.userId],
    );
    assert.equal(scheduled.length, 1);
    const { rows: console } = await system.pool.query('select workspace_id, project_id from console_installation');
    const scope = { workspaceId: console[0].workspace_id, projectId: console[0].project_id } as const;
    await latchkey.inProject((tx) => eraseUserJob(tx, gone.userId, new Date(Date.now() - 1000)), {
      ...scope,
      environment: 'production',
    });
    await eventually(async () => {
      const { rows } = await system.pool.query('select user_id from team_members where workspace_id = $1', [
        made.body.id,
      ]);
      assert.deepEqual(rows, [{ user_id: stays.userId }]);
    });
    const naming = async ({ email }: { email: string }) => {
      const { rows } = await system.pool.query(
        `select 'events' as log from events where workspace_id = $1 and data::text like $2
         union select 'audit' from audit_entries where workspace_id = $1 and entry::text like $2
         union select 'invitations' from team_invitations where workspace_id = $1 and email = $3`,
        [made.body.id, `%${email}%`, email],
      );
      return rows.map(({ log }) => log).sort();
    };
    assert.deepEqual([await naming(gone), await naming(stays)], [[], ['audit', 'events', 'invitations']]);
  });
});

test('in the built-in workspace, only owners change the console and the people, who are operators', async () => {
  const { installation } = (await owner.call('/console/v1/session')).body;
  const inWorkspace = { 'x-workspace-id': installation.workspaceId };
  const projects = (await owner.call('/console/v1/projects', { headers: inWorkspace })).body;
  const headers = { ...inWorkspace, 'x-project-id': projects.items[0].id, 'x-environment': 'production' };
  const admin = await teammate(latchkey, 'admin', installation.workspaceId);
  const { email } = latchkey.demo.operator;
  const people = await admin.call(`/console/v1/members?q=${encodeURIComponent(email)}`, { headers });
  const applications = await admin.call('/console/v1/applications', { headers });
  const [person, console] = [people.body.items[0].id, applications.body.items[0].id];
  for (const [path, method, body] of [
    [`members/${person}`, 'PATCH', { email: newEmail(), emailVerified: true }],
    [`members/${person}/reset-mfa`, 'POST', undefined],
    [`members/${person}/block`, 'POST', undefined],
    [`applications/${console}/secrets`, 'POST', {}],
    ['settings', 'PATCH', { registration: 'open' }],
  ] as const) {
    // biome-ignore lint/performance/noAwaitInLoops: one after the other says which
    const response = await admin.call(`/console/v1/${path}`, { method, headers, ...(body && { body }) });
    expectProblem(response, 403, 'AUTHORIZATION_DENIED');
  }
  const { permissions } = (await admin.call('/console/v1/session')).body.workspaces[0];
  assert.ok(permissions.includes('team:write') && permissions.includes('workspaces:create'));
  assert.ok(!permissions.includes('members:write'));
  const changed = await owner.call(`/console/v1/members/${person}`, {
    method: 'PATCH',
    headers,
    body: { metadata: {} },
  });
  assert.equal(changed.status, 200, changed.text);
});
