import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { emit } from '#events';
import { Streamer } from '#log-streams';
import { addTeamMember, workspaceScope } from '#operators';
import type { UserId, WorkspaceId } from '#platform/ids.ts';
import { closePlace, restorePlace } from '#tenancy';
import { eventually, expectProblem, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { newOperator, type Operator, signInOperator } from '#tests/operators.ts';
import { type Certified, type SyslogServer, selfSigned, startSyslog } from '#tests/syslog-server.ts';
import { createTenant } from '#tests/tenants.ts';
import { waitingStreams } from './claims.ts';

const STREAMS = '/console/v1/team/log-streams';
const MINUTE = 60_000;
const TYPE = 'workspace.updated';

const clock = new TestClock();
let latchkey: TestLatchkey;
let own: Certified;
let owner: Operator;
let syslog: SyslogServer;
before(async () => {
  [latchkey, own] = await Promise.all([startTestLatchkey({ clock }), selfSigned('localhost')]);
  [owner, syslog] = await Promise.all([signInOperator(latchkey), startSyslog(own)]);
});
after(async () => {
  syslog.stop();
  await latchkey.stop();
});

/** Adds a stream as an operator, to a receiver of its own or the common one. */
async function create(operator: Operator, body: Record<string, unknown> = {}, headers = {}): Promise<string> {
  const settings = { name: 'SIEM', kind: 'syslog', url: syslog.address, caCertificate: own.certificate };
  const made = await operator.call(STREAMS, { body: { ...settings, ...body }, headers });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

const remove = async (operator: Operator, id: string, headers = {}) =>
  assert.equal((await operator.call(`${STREAMS}/${id}`, { method: 'DELETE', headers })).status, 204);

/** Records in the log of a workspace that it got a name. */
const rename = (workspaceId: WorkspaceId, name: string) =>
  latchkey.inProject((tx) => emit({ ...tx, scope: workspaceScope(workspaceId) }, TYPE, { workspaceId, name }));

const named = (server: SyslogServer): unknown[] => server.messages.map(({ json }) => Object(json['data']).name);

/** Another workspace with an owner. */
async function otherTeam(name: string): Promise<{ workspaceId: WorkspaceId; operator: Operator; userId: UserId }> {
  const { scope } = await createTenant(latchkey, name);
  const person = await newOperator(latchkey);
  await latchkey.inProject((tx) =>
    addTeamMember({ ...tx, scope: workspaceScope(scope.workspaceId) }, person.userId, 'owner'),
  );
  const operator = await signInOperator(latchkey, person);
  return { workspaceId: scope.workspaceId, operator, userId: person.userId };
}

describe('log streams of a team', () => {
  test('send the log of their workspace, and no entry of a project or of another workspace', async (t) => {
    const { workspaceId, operator } = await otherTeam('beside');
    const inside = { 'x-workspace-id': workspaceId };
    const theirs = await startSyslog(own);
    t.after(() => theirs.stop());
    const id = await create(owner, { types: [TYPE, 'user.logout', 'log_stream.*'] });
    const their = await create(operator, { url: theirs.address, types: [TYPE] }, inside);
    await latchkey.inProject((tx) => emit(tx, 'user.logout', { userId: 'usr_1', everywhere: false }));
    await latchkey.inProject((tx) => emit(tx, 'user.logout', { userId: 'usr_2', everywhere: false }), {
      environment: 'production',
    });
    await rename(latchkey.demo.workspaceId, 'Ours');
    await rename(workspaceId, 'Theirs');
    await eventually(async () => assert.ok(named(syslog).includes('Ours')));
    await eventually(async () => assert.ok(named(theirs).includes('Theirs')));
    const actions = syslog.messages.map(({ json }) => json['action']);
    assert.deepEqual(actions, ['log_stream.created', TYPE], 'its own creation, which the team did, and the name');
    const { workspaceId: from, projectId, environment } = syslog.messages.at(-1)?.json ?? {};
    assert.deepEqual([from, projectId, environment], [latchkey.demo.workspaceId, 'prj_', 'production']);
    assert.deepEqual(named(theirs), ['Theirs']);
    const listed = (await owner.call(STREAMS)).body.items;
    assert.deepEqual(
      listed.map((stream: { id: string }) => stream.id),
      [id],
    );
    assert.deepEqual((await owner.call('/console/v1/log-streams')).body.items, []);
    const elsewhere = await owner.call(`${STREAMS}/${their}`);
    expectProblem(elsewhere, 404, 'NOT_FOUND');
    expectProblem(await owner.call(`/console/v1/log-streams/${id}`), 404, 'NOT_FOUND');
    await remove(owner, id);
    await remove(operator, their, inside);
  });

  test('are tested, changed, paused and resumed; their secret is never returned', async () => {
    const { certificate, key } = await selfSigned('client');
    const id = await create(owner, { clientCertificate: certificate, secret: key, types: [TYPE] });
    const read = await owner.call(`${STREAMS}/${id}`);
    assert.deepEqual(
      read.body.certificates.map(({ use, subject }: { use: string; subject: string }) => [use, subject]),
      [
        ['authority', 'CN=localhost'],
        ['client', 'CN=client'],
      ],
    );
    assert.ok(Date.parse(read.body.certificates[0].expiresAt) > Date.now());
    const tried = await owner.call(`${STREAMS}/${id}/test`, { method: 'POST' });
    assert.deepEqual([tried.status, tried.body.ok], [200, true], tried.text);
    const changed = await owner.call(`${STREAMS}/${id}`, { method: 'PATCH', body: { name: 'Other' } });
    assert.deepEqual([changed.status, changed.body.name, changed.body.hasSecret], [200, 'Other', true]);
    const paused = await owner.call(`${STREAMS}/${id}/pause`, { method: 'POST' });
    assert.deepEqual([paused.status, paused.body.state], [200, 'paused']);
    await rename(latchkey.demo.workspaceId, 'While paused');
    const resumed = await owner.call(`${STREAMS}/${id}/resume`, { body: {} });
    assert.deepEqual([resumed.status, resumed.body.state], [200, 'active']);
    await eventually(async () => assert.equal(named(syslog).at(-1), 'While paused'));
    const faults = await owner.call(`${STREAMS}/${id}/faults`);
    assert.deepEqual(faults.body.items, []);
    const line = key.split('\n')[1] ?? '';
    assert.ok(line.length > 20);
    for (const response of [read, tried, changed, paused, resumed, faults]) assert.ok(!response.text.includes(line));
    const { rows } = await latchkey.system.pool.query(
      `select workspace_id, project_id, environment, type, actor ->> 'kind' as actor, data::text from events
       where data ->> 'logStreamId' = $1 order by id`,
      [id],
    );
    assert.ok(!JSON.stringify(rows).includes(line));
    assert.deepEqual(
      rows.map(({ type, actor, project_id: project, environment }) => [type, actor, project, environment]),
      ['created', 'tested', 'updated', 'paused', 'resumed'].map((what) => [
        `log_stream.${what}`,
        'operator',
        'prj_',
        'production',
      ]),
    );
    await remove(owner, id);
  });

  test('are limited to ten, and take only addresses that every project in production may have', async () => {
    const settings = { name: 'Logs', kind: 'json_lines', url: 'http://localhost:1/logs' };
    const plain = await owner.call(STREAMS, { body: settings });
    assert.equal(plain.status, 400, plain.text);
    const made = await Promise.all(Array.from({ length: 10 }, () => create(owner, { types: ['billing.*'] })));
    const refused = await owner.call(STREAMS, {
      body: { ...settings, kind: 'syslog', url: syslog.address, caCertificate: own.certificate },
    });
    expectProblem(refused, 409, 'CONFLICT');
    assert.equal(refused.body.detail, 'A team has up to 10 log streams; remove one first.');
    for (const id of made) {
      // biome-ignore lint/performance/noAwaitInLoops: one after another
      await remove(owner, id);
    }
  });

  test('are sent by one process at a time', async (t) => {
    const second = new Streamer(latchkey.system);
    t.after(() => second.stop());
    syslog.messages.length = 0;
    const id = await create(owner, { types: [TYPE] });
    const names = Array.from({ length: 20 }, (_, index) => `Name ${index}`);
    for (const name of names) {
      // biome-ignore lint/performance/noAwaitInLoops: entries in a known order
      await rename(latchkey.demo.workspaceId, name);
    }
    await eventually(async () => assert.equal(named(syslog).at(-1), names.at(-1)));
    assert.deepEqual(named(syslog), names);
    await remove(owner, id);
  });

  test('continue when the person who added them leaves the team, and wait while the workspace is closed', async (t) => {
    const { workspaceId, operator, userId } = await otherTeam('closing');
    const inside = { 'x-workspace-id': workspaceId };
    const theirs = await startSyslog(own);
    t.after(() => theirs.stop());
    const id = await create(operator, { url: theirs.address, types: [TYPE] }, inside);
    await latchkey.system.pool.query('delete from team_members where user_id = $1', [userId]);
    expectProblem(await operator.call(`${STREAMS}/${id}`, { headers: inside }), 403, 'MEMBERSHIP_REQUIRED');
    await rename(workspaceId, 'Left');
    await eventually(async () => assert.deepEqual(named(theirs), ['Left']));
    await latchkey.inProject((tx) => closePlace({ ...tx, scope: workspaceScope(workspaceId) }, null));
    await rename(workspaceId, 'Closed');
    await eventually(async () => {
      const { rows } = await latchkey.system.pool.query(
        `select from audit_entries where workspace_id = $1 and action = $2`,
        [workspaceId, TYPE],
      );
      assert.equal(rows.length, 2);
    });
    clock.advance(20 * MINUTE);
    assert.deepEqual(await waitingStreams(latchkey.system), []);
    const metrics = await latchkey.system.metrics.metrics();
    assert.match(metrics, /^latchkey_log_stream_lag_entries 0$/m);
    assert.deepEqual(named(theirs), ['Left']);
    await latchkey.inProject((tx) => restorePlace({ ...tx, scope: workspaceScope(workspaceId) }, null));
    await eventually(async () => assert.deepEqual(named(theirs), ['Left', 'Closed']));
  });
});
