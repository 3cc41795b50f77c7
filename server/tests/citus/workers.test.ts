import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { auditFollower } from '#audit';
import { Dispatcher } from '#events';
import type { Demo } from '#hosts';
import { advisoryLocks } from '#platform/advisory-locks.ts';
import { spawnLatchkey } from '#tests/command-line.ts';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { CLUSTER } from '#tests/postgres.ts';
import { createDemos, expectKept, load } from './load.ts';

/** Needs a Citus cluster: `npm run test:citus -- FOLDER`. */
const skip = CLUSTER === null ? 'needs a Citus cluster (npm run test:citus)' : false;
describe('the workers of a Citus cluster', { skip }, () => {
  let latchkey: TestLatchkey;
  let demos: Demo[];

  before(async () => {
    latchkey = await startTestLatchkey({ own: 'it counts the events and leaders of its database' });
    demos = await createDemos(latchkey);
  });
  after(() => latchkey.stop());

  test('each has a share of the workspaces, and what people do leads to the worker of theirs', async (t) => {
    const running = load(t, latchkey, demos);
    await running.served(demos);
    const { acknowledged, failures } = await running.end();
    assert.deepEqual(failures, []);
    await expectKept(latchkey, acknowledged);
    const { rows } = await latchkey.system.pool.query<{ port: number; sessions: number }>(
      `select nodeport as port, sum(result::bigint)::bigint as sessions from run_command_on_shards('sessions', 'select count(*) from %s') s
       join citus_shards c on c.shardid = s.shardid where success group by 1 order by 1`,
    );
    assert.equal(rows.length, 2);
    for (const { port, sessions } of rows) {
      assert.ok(sessions > 0, `worker ${port} has no session`);
      console.log(`worker ${port}: ${sessions} sessions`);
    }
  });

  test('processes number events side by side, each those of its groups of workspaces', async (t) => {
    const groupsByProcess = async () => {
      const { rows } = await latchkey.system.pool.query<{ groups: number }>(
        `select count(*) as groups from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
         where locktype = 'advisory' and objsubid = 2 and classid = $1::bigint::oid and granted group by pid`,
        [advisoryLocks.eventDispatcher],
      );
      return rows.map(({ groups }) => groups);
    };
    assert.deepEqual(await groupsByProcess(), [16]);
    const other = new Dispatcher(latchkey.system, [auditFollower]);
    await eventually(async () => assert.deepEqual(await groupsByProcess(), [8, 8]));
    const running = load(t, latchkey, demos);
    await running.served(demos);
    await other.stop();
    await eventually(async () => assert.deepEqual(await groupsByProcess(), [16]));
    const { acknowledged, failures } = await running.end();
    assert.deepEqual(failures, []);
    await expectKept(latchkey, acknowledged);
  });

  test('a backup that is made while people register can be restored', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-citus-backup-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const { databaseUrl, config } = latchkey.system;
    const settings = {
      DATABASE_URL: databaseUrl,
      LATCHKEY_SECRET: 'a secret of the tests that is long enough',
      LATCHKEY_DATA_DIR: config.dataDir,
    };
    const file = join(folder, 'latchkey.zip');
    const running = load(t, latchkey, demos);
    await eventually(async () => assert.ok(running.acknowledged.length > 0));
    const made = await spawnLatchkey(['backup', file], settings);
    assert.equal(made.status, 0, made.errors);
    const { failures } = await running.end();
    assert.deepEqual(failures, []);
    const verified = await spawnLatchkey(['restore', file, '--verify'], settings);
    assert.equal(verified.status, 0, verified.errors);
  });

  test('shards that move while requests run, alone or in a rebalance, fail none of them', async (t) => {
    const { pool } = latchkey.system;
    const placements = async () => {
      const { rows } = await pool.query<{ id: number; port: number }>(
        `select shardid as id, nodeport as port from citus_shards where table_name = 'projects'::regclass order by 1`,
      );
      return rows;
    };
    const [first, second] = await placements();
    assert.ok(first && second && first.port !== second.port);
    const running = load(t, latchkey, demos);
    await running.served(demos);
    await pool.query("select citus_move_shard_placement($1, '127.0.0.1', $2, '127.0.0.1', $3)", [
      first.id,
      first.port,
      second.port,
    ]);
    await running.served(demos);
    assert.equal(new Set((await placements()).map(({ port }) => port)).size, 1);
    await pool.query('select citus_rebalance_start()');
    await eventually(async () => {
      const { rows } = await pool.query('select state from citus_rebalance_status()');
      assert.deepEqual(rows, [{ state: 'finished' }]);
    });
    assert.equal(new Set((await placements()).map(({ port }) => port)).size, 2);
    await running.served(demos);
    const { acknowledged, failures } = await running.end();
    assert.deepEqual(failures, []);
    await expectKept(latchkey, acknowledged);
  });
});
