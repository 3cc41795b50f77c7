import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Demo } from '#hosts';
import { eventually, managementToken, newEmail, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { CLUSTER } from '#tests/postgres.ts';
import { createDemos, expectKept, load } from './load.ts';

const skip = CLUSTER === null ? 'needs a Citus cluster (npm run test:citus)' : false;

/** The port of the server that has the rows of each workspace. */
async function serversOfWorkspaces({ system }: TestLatchkey): Promise<Map<string, number>> {
  const { rows } = await system.pool.query<{ id: string; port: number }>(
    `select w.id, s.nodeport as port from workspaces w
     join citus_shards s on s.shardid = get_shard_id_for_distribution_column('projects', w.id)
     where s.table_name = 'projects'::regclass`,
  );
  return new Map(rows.map(({ id, port }) => [id, port]));
}

/** Kills a server of the cluster, and waits until it is gone: before that, `cluster.sh` takes it for running. */
async function kill(name: string, port: number): Promise<void> {
  const [pid] = readFileSync(join(CLUSTER?.folder ?? '', name, 'postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(pid), 'SIGKILL');
  await eventually(() => assert.rejects(reach(port), { code: 'ECONNREFUSED' }));
}

async function reach(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect').finally(() => socket.destroy());
}

/** More than one chunk. */
const ROWS = 6_000;

type Import = { demo: Demo; token: string; id: string; emails: string[] };

/** Starts to import people into the workspace. */
async function startImport(latchkey: TestLatchkey, demo: Demo): Promise<Import> {
  const token = await managementToken({ ...latchkey, demo });
  const emails = Array.from({ length: ROWS }, newEmail);
  const { status, text, body } = await latchkey.api('/v1/admin/members/import', {
    token,
    body: emails.map((email) => JSON.stringify({ email, emailVerified: true })).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  assert.equal(status, 202, text);
  return { demo, token, id: body.id, emails };
}

async function progressOf(latchkey: TestLatchkey, { token, id }: Import) {
  const { status, text, body } = await latchkey.api(`/v1/admin/members/import/${id}`, { token });
  assert.equal(status, 200, text);
  return body;
}

/** Each row of an import that was interrupted made one person, with one event. */
async function expectImported(latchkey: TestLatchkey, { demo, id, emails, token }: Import): Promise<void> {
  await eventually(async () =>
    assert.equal((await progressOf(latchkey, { demo, token, id, emails })).status, 'completed'),
  );
  const { created, failed } = await progressOf(latchkey, { demo, token, id, emails });
  assert.deepEqual({ created, failed }, { created: ROWS, failed: 0 });
  const { rows } = await latchkey.system.pool.query(
    `select count(*) as identifiers, count(distinct i.user_id) as people, count(distinct m.id) as members,
       (select count(*) from events e where e.workspace_id = $1 and e.type = 'user.created' and e.correlation_id = $3) as events
     from identifiers i left join members m on m.workspace_id = $1 and m.user_id = i.user_id
     where i.workspace_id = $1 and i.value = any($2)`,
    [demo.workspaceId, emails, id],
  );
  assert.deepEqual(rows, [{ identifiers: ROWS, people: ROWS, members: ROWS, events: ROWS }]);
}

/** It runs alone (`run.ts`), because all tests share the cluster. */
describe('a worker of a Citus cluster that is killed', { skip }, () => {
  let latchkey: TestLatchkey;
  let demos: Demo[];

  before(async () => {
    latchkey = await startTestLatchkey({ own: 'it counts the events of its database' });
    demos = await createDemos(latchkey);
  });
  after(() => latchkey.stop());

  test('loses nothing, and people whose workspaces are on another do not notice', async (t) => {
    const port = Number(CLUSTER?.ports[1]);
    const serverOf = await serversOfWorkspaces(latchkey);
    const away = demos.filter(({ workspaceId }) => serverOf.get(workspaceId) === port);
    const there = demos.filter((demo) => !away.includes(demo));
    assert.ok(away.length > 0 && there.length > 0);
    const running = load(t, latchkey, demos);
    await running.served(demos);
    const [one, other] = [away[0], there[0]];
    assert.ok(one && other);
    const imports = [await startImport(latchkey, one), await startImport(latchkey, other)];
    const begun = async (started: Import) => assert.ok((await progressOf(latchkey, started)).rowsDone > 0);
    await Promise.all(imports.map((started) => eventually(() => begun(started))));
    await kill('worker1', port);
    await running.served(there);
    await eventually(async () => assert.ok(running.failures.length > 0));
    await eventually(async () => CLUSTER?.start());
    await running.served(demos);
    await Promise.all(imports.map((started) => expectImported(latchkey, started)));
    const { acknowledged, failures } = await running.end();
    console.log(`${acknowledged.length} requests succeeded, ${failures.length} got 503`);
    assert.deepEqual(
      failures.filter(
        ({ workspaceId, status, retryAfter }) =>
          status !== 503 || retryAfter === null || serverOf.get(workspaceId) !== port,
      ),
      [],
    );
    await expectKept(latchkey, acknowledged);
  });
});
