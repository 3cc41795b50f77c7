import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Demo } from '#hosts';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
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
    await kill('worker1', port);
    await running.served(there);
    await eventually(async () => assert.ok(running.failures.length > 0));
    await eventually(async () => CLUSTER?.start());
    await running.served(demos);
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
