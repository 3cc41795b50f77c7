import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { subscribe } from '#billing';
import { emit } from '#events';
import { addTeamMember, workspaceScope } from '#operators';
import { eraseUserJob } from '#people';
import type { Scope } from '#platform/ctx.ts';
import type { ProjectId, UserId, WorkspaceId } from '#platform/ids.ts';
import { isClosed } from '#tenancy';
import { bindHost, callAt, startDns, type TestDns } from '#tests/domains.ts';
import {
  eventually,
  expectProblem,
  lastMessage,
  mailedToken,
  newEmail,
  PASSWORD,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { newOperator, type Operator, signInOperator, teammate } from '#tests/operators.ts';
import { type Receiver, startReceiver } from '#tests/receiver.ts';
import { type SecondProcess, startSecondProcess } from '#tests/second-process.ts';
import { fillTenantTables, tablesWith, tenantTables } from '#tests/tenant-rows.ts';
import { createTenant, staffProject, type Tenant, tenantManagementToken } from '#tests/tenants.ts';
import { addRemovalJob } from './removal-job.ts';

const DAY = 86_400_000;
const HOST = 'login.helpdesk.example';
const PROJECTS = '/console/v1/projects';

const clock = new TestClock();
let dns: TestDns;
let receiver: Receiver;
let latchkey: TestLatchkey;
let second: SecondProcess;
let owner: Operator;
before(async () => {
  [dns, receiver] = await Promise.all([startDns(), startReceiver()]);
  latchkey = await startTestLatchkey({ clock, settings: { LATCHKEY_DNS_SERVERS: dns.address } });
  second = await startSecondProcess(latchkey, { LATCHKEY_ROLES: 'auth,api' });
  owner = await signInOperator(latchkey);
});
after(async () => {
  await second.stop();
  await latchkey.stop();
  await receiver.stop();
  dns.stop();
});

async function newProject(name: string): Promise<Scope> {
  const { body, text } = await owner.call(PROJECTS, { body: { name } });
  assert.ok(body.id, text);
  return { workspaceId: latchkey.demo.workspaceId, projectId: body.id, environment: 'test' };
}

const drop = (projectId: string, as = owner) => as.call(`${PROJECTS}/${projectId}`, { method: 'DELETE' });
const restore = (projectId: string, as = owner) => as.call(`${PROJECTS}/${projectId}/restore`, { method: 'POST' });
const place = ({ workspaceId, projectId }: Scope) => ({ workspaceId, projectId });

function registerIn(scope: Scope, email = newEmail()): Promise<TestResponse> {
  return latchkey.auth('/v1/auth/register', { body: { ...place(scope), email, password: PASSWORD } });
}

/** Runs the jobs that are due by the test's clock. */
async function runDue(removed: { workspaceId: WorkspaceId; projectId: ProjectId | null }): Promise<void> {
  await latchkey.inProject((tx) => addRemovalJob(tx, removed, new Date(Date.now() - 1_000)));
  await eventually(async () => {
    const { rows } = await latchkey.system.pool.query(
      `select last_error from graphile_worker.jobs where key = $1 and run_at <= now() + interval '1 hour'`,
      [`remove_scope ${removed.workspaceId} ${removed.projectId ?? ''}`],
    );
    assert.deepEqual(rows, []);
  });
}

async function typesOf(workspaceId: string): Promise<string[]> {
  const { rows } = await latchkey.system.pool.query(
    `select type from events where workspace_id = $1 and project_id = 'prj_' and type like any ('{project.%,workspace.%}') order by id`,
    [workspaceId],
  );
  return rows.map(({ type }) => type);
}

describe('who may delete what', () => {
  test('only owners of the workspace', async () => {
    const { projectId } = await newProject('Kept');
    const admin = await teammate(latchkey, 'admin');
    for (const response of await Promise.all([
      drop(projectId, admin),
      restore(projectId, admin),
      admin.call('/console/v1/workspace', { method: 'DELETE' }),
      admin.call('/console/v1/workspace/restore', { method: 'POST' }),
    ]))
      expectProblem(response, 403, 'AUTHORIZATION_DENIED');
  });

  test('nobody a default project or its workspace, which keep the status, nor the built-in workspace', async () => {
    const { rows } = await latchkey.system.pool.query('select workspace_id, project_id from console_installation');
    const there = { 'x-workspace-id': rows[0].workspace_id };
    for (const response of await Promise.all([
      drop(latchkey.demo.projects[0]?.id ?? ''),
      owner.call('/console/v1/workspace', { method: 'DELETE' }),
      owner.call(`${PROJECTS}/${rows[0].project_id}`, { method: 'DELETE', headers: there }),
      owner.call('/console/v1/workspace', { method: 'DELETE', headers: there }),
    ]))
      expectProblem(response, 409, 'CONFLICT');
  });

  test('nobody while the SMS add-on is active or has unpaid charges', async () => {
    const scope = await newProject('In debt');
    await latchkey.inProject((tx) => subscribe(tx, 'starter'), { ...scope, environment: 'production' });
    expectProblem(await drop(scope.projectId), 409, 'CONFLICT');
    const production = { 'x-project-id': scope.projectId, 'x-environment': 'production' };
    const cancelled = await owner.call('/console/v1/billing/addons/sms/cancel', {
      body: { atPeriodEnd: false },
      headers: production,
    });
    assert.equal(cancelled.status, 200, cancelled.text);
    expectProblem(await drop(scope.projectId), 409, 'CONFLICT');
  });
});

describe('a deleted project', () => {
  let scope: Scope;
  let tenant: Tenant;
  let person: { email: string; access: string; refresh: string };
  let backEnd: string;
  let elsewhere: string;
  let link: string;
  let host: { auth: string };

  before(async () => {
    scope = await newProject('Helpdesk of old');
    tenant = await staffProject(latchkey, scope.projectId, 'helpdesk');
    backEnd = await tenantManagementToken(latchkey, tenant);
    const email = newEmail();
    const { body } = await registerIn(scope, email);
    person = { email, access: body.access_token, refresh: body.refresh_token };
    // The same person also has a session in the project that stays.
    const other = await latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD } });
    elsewhere = other.body.access_token;
    await latchkey.auth('/v1/auth/password/forgot', { body: { ...place(scope), identifier: email } });
    link = await mailedToken(latchkey, email);
    host = await bindHost(latchkey, dns, { host: HOST, token: backEnd, projectId: scope.projectId });
    const endpoint = await latchkey.api('/v1/admin/webhooks/endpoints', {
      token: backEnd,
      body: { url: `${receiver.origin}/hook`, events: ['user.logout'] },
    });
    assert.equal(endpoint.status, 201, endpoint.text);
  });

  const metadata = () => callAt(latchkey, `${host.auth}/.well-known/openid-configuration`);
  const happen = () =>
    latchkey.inProject((tx) => emit(tx, 'user.logout', { userId: 'usr_1', everywhere: false }), scope);
  const secondSees = (token: string) => second.api('/v1/me/context', token);

  /** Checks that a closed project refuses every kind of request. */
  async function expectClosed(): Promise<void> {
    const { workspaceId, projectId, environment } = scope;
    for (const token of [person.access, backEnd]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await latchkey.api('/v1/admin/members', { token }), 401, 'SESSION_REVOKED');
    }
    const refresh_token = person.refresh;
    expectProblem(await latchkey.auth('/v1/sessions/refresh', { body: { refresh_token } }), 401, 'SESSION_REVOKED');
    const login = { identifier: person.email, password: PASSWORD };
    for (const named of [place(scope), { clientId: tenant.clientId }])
      expectProblem(
        // biome-ignore lint/performance/noAwaitInLoops: one after the other
        await latchkey.auth('/v1/auth/login/password', { body: { ...named, ...login } }),
        400,
        'CONTEXT_REQUIRED',
      );
    expectProblem(await registerIn(scope), 400, 'CONTEXT_REQUIRED');
    const reset = { token: link, newPassword: 'another long sentence' };
    expectProblem(await latchkey.auth('/v1/auth/password/reset', { body: reset }), 400, 'INVALID_TOKEN');
    assert.equal(await tenantManagementToken(latchkey, tenant), undefined, 'no token for its back end');
    expectProblem(
      await latchkey.auth('/v1/sessions/switch-context', {
        token: elsewhere,
        body: { workspaceId, projectId, environment },
      }),
      403,
      'MEMBERSHIP_REQUIRED',
    );
    const { body: own } = await latchkey.api('/v1/me/memberships', { token: elsewhere });
    assert.ok(!own.items.some((item: { projectId: string }) => item.projectId === projectId));
    expectProblem(await metadata(), 421, 'UNKNOWN_HOST');
    expectProblem(await owner.call('/console/v1/roles', { headers: { 'x-project-id': projectId } }), 404, 'NOT_FOUND');
  }

  test('is refused immediately in every process; its owners are notified, and the other projects go on', async () => {
    assert.equal((await secondSees(person.access)).status, 200);
    assert.equal((await metadata()).status, 200);
    const { status, body, text } = await drop(scope.projectId);
    assert.equal(status, 202, text);
    assert.equal(Date.parse(body.deletesAt), clock.now().getTime() + 7 * DAY);
    await expectClosed();
    await eventually(async () => assert.equal((await secondSees(person.access)).status, 401));
    assert.equal((await second.auth('/v1/sessions/refresh', { refresh_token: person.refresh })).status, 401);
    assert.equal((await latchkey.api('/v1/me/context', { token: elsewhere })).status, 200);
    const mail = await lastMessage(latchkey, latchkey.demo.operator.email);
    assert.match(mail.subject, /^The project Helpdesk of old will be deleted$/);
    assert.match(mail.text, new RegExp(`${body.deletesAt.slice(0, 10)}[^]*/console/${scope.workspaceId}/projects`));
    const { items } = (await owner.call(PROJECTS)).body;
    const listed = items.find(({ id }: { id: string }) => id === scope.projectId);
    assert.equal(listed.deletesAt, body.deletesAt);
    assert.deepEqual((await drop(scope.projectId)).body, body, 'asking again changes nothing');
  });

  test('while the change feed is down, the database is asked', async () => {
    await latchkey.system.feed.stop();
    assert.equal(latchkey.system.feed.live, false);
    assert.equal(await isClosed(latchkey.system, scope), true);
    assert.equal(
      await isClosed(latchkey.system, { ...scope, projectId: latchkey.demo.projects[0]?.id ?? 'prj_' }),
      false,
    );
    assert.equal(await isClosed(latchkey.system, { workspaceId: scope.workspaceId, projectId: 'prj_gone' }), true);
    await expectClosed();
    await latchkey.system.feed.start();
    await expectClosed();
  });

  test('sends no webhook until it is restored; then everything works again', async () => {
    await happen();
    await eventually(async () => {
      const { rowCount } = await latchkey.system.pool.query('select from webhook_deliveries where project_id = $1', [
        scope.projectId,
      ]);
      assert.equal(rowCount, 1);
    });
    assert.equal((await restore(scope.projectId)).body.deletesAt, null);
    await eventually(async () => assert.equal(receiver.at('/hook').length, 1));
    for (const token of [person.access, elsewhere]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await latchkey.api('/v1/me/context', { token })).status, 200);
    }
    assert.equal((await latchkey.api('/v1/admin/members', { token: backEnd })).status, 200);
    const refreshed = await latchkey.auth('/v1/sessions/refresh', { body: { refresh_token: person.refresh } });
    assert.equal(refreshed.status, 200, refreshed.text);
    assert.equal((await metadata()).status, 200);
    await eventually(async () => assert.equal((await secondSees(person.access)).status, 200));
    await runDue({ workspaceId: scope.workspaceId, projectId: scope.projectId });
    assert.equal((await latchkey.api('/v1/me/context', { token: person.access })).status, 200, 'the job left it alone');
    assert.deepEqual((await typesOf(scope.workspaceId)).slice(-2), [
      'project.deletion.scheduled',
      'project.deletion.cancelled',
    ]);
    await eventually(async () => {
      const { rows } = await latchkey.system.pool.query(
        `select action from audit_entries where workspace_id = $1 and project_id = 'prj_' and action like 'project.deletion.%'
         order by sequence`,
        [scope.workspaceId],
      );
      const [first, second] = rows.slice(-2).map(({ action }) => action);
      assert.deepEqual([first, second], ['project.deletion.scheduled', 'project.deletion.cancelled']);
    });
  });

  test('after seven days nothing of it is left; users of no other project are erased, unless they sign in', async () => {
    const only = await registerIn(scope);
    assert.equal(only.status, 200, only.text);
    const back = newEmail();
    const returning = (await registerIn(scope, back)).body.session.userId;
    const { workspaceId, projectId } = scope;
    assert.equal((await drop(projectId)).status, 202);
    await runDue({ workspaceId, projectId });
    assert.equal((await restore(projectId)).status, 200, 'too early: the job waits for its day');
    assert.equal((await drop(projectId)).status, 202);
    await fillTenantTables(latchkey.system, scope);
    clock.advance(7 * DAY + 1_000);
    owner = await signInOperator(latchkey);
    expectProblem(await restore(projectId), 409, 'CONFLICT');
    await runDue({ workspaceId, projectId });
    assert.deepEqual(await tablesWith(latchkey.system.pool, { workspaceId, projectId }), []);
    const left = await Promise.all(
      ['domain_bindings', 'domain_certificates', 'webhook_attempts', 'refresh_tokens', 'consents'].map(
        async (table) => {
          const { rowCount } = await latchkey.system.pool.query(
            `select from ${table} where workspace_id = $1 and row_to_json(${table})::text like '%"seed"%'`,
            [workspaceId],
          );
          return rowCount;
        },
      ),
    );
    assert.deepEqual(left, [0, 0, 0, 0, 0], 'what names no project goes with what it refers to');
    expectProblem(await owner.call(`${PROJECTS}/${projectId}`), 404, 'NOT_FOUND');
    assert.equal((await typesOf(workspaceId)).at(-1), 'project.deleted');
    const standing = async (userId: string): Promise<unknown> =>
      (await latchkey.system.pool.query('select erase_at is not null as leaving from users where id = $1', [userId]))
        .rows[0]?.leaving;
    assert.equal(await standing(only.body.session.userId), true);
    assert.equal(await standing(returning), true);
    const came = await latchkey.auth('/v1/auth/login/password', { body: { identifier: back, password: PASSWORD } });
    assert.equal(came.status, 200, came.text);
    assert.equal(await standing(returning), false);
    const stays = await latchkey.auth('/v1/auth/login/password', {
      body: { identifier: person.email, password: PASSWORD },
    });
    assert.equal(stays.status, 200, stays.text);
    clock.advance(7 * DAY + 1_000);
    const userId: UserId = `usr_${only.body.session.userId.slice(4)}`;
    await latchkey.inProject((tx) => eraseUserJob(tx, userId, new Date(Date.now() - 1_000)), scope);
    await eventually(async () => assert.equal(await standing(userId), undefined));
    assert.deepEqual(
      await tablesWith(latchkey.system.pool, { workspaceId, projectId }),
      [],
      'nothing is written for it',
    );
  });

  test('its domain is free for others', async () => {
    dns.zone.clear();
    const bound = await bindHost(latchkey, dns, { host: HOST });
    const { status, body } = await callAt(latchkey, `${bound.auth}/.well-known/openid-configuration`);
    assert.deepEqual([status, body.issuer], [200, bound.auth]);
  });
});

describe('a deleted workspace', () => {
  let tenant: Tenant;
  let boss: Operator;
  let here: Record<string, string>;

  before(async () => {
    tenant = await createTenant(latchkey, 'doomed');
    const person = await newOperator(latchkey);
    const { workspaceId, projectId } = tenant.scope;
    await latchkey.inProject((tx) =>
      addTeamMember({ ...tx, scope: workspaceScope(workspaceId) }, person.userId, 'owner'),
    );
    boss = await signInOperator(latchkey, person);
    here = { 'x-workspace-id': workspaceId, 'x-project-id': projectId };
  });

  const call = (path: string, method = 'GET') => boss.call(`/console/v1${path}`, { method, headers: here });

  test('is closed with its projects; its team can only restore it', async () => {
    const token = await tenantManagementToken(latchkey, tenant);
    const { status, body, text } = await call('/workspace', 'DELETE');
    assert.equal(status, 202, text);
    expectProblem(await latchkey.api('/v1/admin/members', { token }), 401, 'SESSION_REVOKED');
    assert.equal(await tenantManagementToken(latchkey, tenant), undefined);
    for (const path of ['/roles', '/team', '/projects']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await call(path);
      assert.ok([404, 409].includes(response.status), response.text);
    }
    assert.equal((await call('/workspace')).body.deletesAt, body.deletesAt);
    const { workspaces } = (await call('/session')).body;
    assert.deepEqual(
      workspaces.map(({ deletesAt }: { deletesAt: string }) => deletesAt),
      [body.deletesAt],
    );
    assert.equal((await call('/workspace/restore', 'POST')).status, 200);
    assert.equal((await latchkey.api('/v1/admin/members', { token })).status, 200);
    assert.equal((await call('/roles')).status, 200);
  });

  test('after seven days no table holds anything of it, whatever tables there are', async () => {
    const { workspaceId } = tenant.scope;
    const { pool } = latchkey.system;
    await fillTenantTables(latchkey.system, tenant.scope);
    const named = await pool.query<{ table: string }>(
      `select table_name as table from information_schema.columns where table_schema = 'public' and column_name = 'workspace_id'`,
    );
    const tables = (await tenantTables(pool)).filter((table) => named.rows.some((row) => row.table === table));
    assert.deepEqual(await tablesWith(pool, { workspaceId }), tables, 'there is a row in each');
    assert.equal((await call('/workspace', 'DELETE')).status, 202);
    clock.advance(7 * DAY + 1_000);
    await runDue({ workspaceId, projectId: null });
    assert.deepEqual(await tablesWith(pool, { workspaceId }), []);
    assert.equal((await pool.query('select from workspaces where id = $1', [workspaceId])).rowCount, 0);
    const { rows } = await pool.query(`select data from events where type = 'workspace.deleted'`);
    assert.deepEqual(rows, [{ data: { workspaceId, name: 'doomed' } }]);
  });
});

describe('the list of removed tables', () => {
  const uncovered = async () => {
    const covered = new Set<string>(
      latchkey.system.parts.flatMap(({ removals = [] }) => removals.flatMap(({ tables }) => tables)),
    );
    return (await tenantTables(latchkey.system.pool)).filter((table) => !covered.has(table));
  };

  test('has every table of a tenant, and a table that is added without being listed is noticed', async () => {
    assert.deepEqual(await uncovered(), []);
    await latchkey.system.pool.query('create table forgotten (workspace_id text not null, project_id text not null)');
    assert.deepEqual(await uncovered(), ['forgotten']);
    await latchkey.system.pool.query('drop table forgotten');
  });
});
