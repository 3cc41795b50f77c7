import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { createDemo, type Demo } from '#hosts';
import { LAYOUT } from '#migrations';
import { baseBackup } from '#tests/base-backup.ts';
import { runLatchkey } from '#tests/command-line.ts';
import { eventually, newEmail, PASSWORD, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { CLUSTER, makeCluster } from '#tests/postgres.ts';
import { startSecondProcess } from '#tests/second-process.ts';
import { type Acknowledged, createDemos, expectKept, load } from './load.ts';

const skip = CLUSTER === null ? 'needs a Citus cluster (npm run test:citus)' : false;
const POINT = 'latchkey-before-the-accident';

type Cluster = Awaited<ReturnType<typeof makeCluster>>;
type Server = Cluster['servers'][number];

/** As docs/scale.md describes it, on a cluster of its own: the log of each server, and one restore point on all of them. */
describe('recovery of a divided installation to a point in time', { skip }, () => {
  let folder: string;
  let cluster: Cluster;
  let latchkey: TestLatchkey;
  let demos: Demo[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-citus-recovery-'));
    await chmod(folder, 0o755);
    const archive = join(folder, 'archive');
    for (const name of ['.', 'coordinator', 'worker1', 'worker2']) {
      // biome-ignore lint/performance/noAwaitInLoops: one folder in the other
      await mkdir(join(archive, name));
      // Started by root, the servers run as another user.
      await chmod(join(archive, name), 0o777);
    }
    cluster = await makeCluster(join(folder, 'cluster'), (name) => {
      const file = join(archive, name, '%f');
      return `archive_mode = on\narchive_command = 'test ! -f ${file} && cp %p ${file}'\n`;
    });
    latchkey = await startTestLatchkey({ databaseUrl: cluster.databaseUrl });
    demos = await createDemos(latchkey);
  });
  after(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const urlOf = ({ port }: Server): string => {
    const url = new URL(cluster.databaseUrl);
    url.port = port;
    return url.href;
  };

  async function query<Row extends pg.QueryResultRow>(
    url: string,
    text: string,
    values: unknown[] = [],
  ): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client
      .query<Row>(text, values)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  }

  /** Copies the files of a server, with what it needs to play its log up to the point. */
  function copy(server: Server): Promise<void> {
    const log = join(folder, 'archive', server.name, '%f');
    const settings = {
      restore_command: `cp ${log} %p`,
      recovery_target_name: POINT,
      recovery_target_action: 'promote',
      hot_standby: 'off',
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    return baseBackup(urlOf(server), {
      from: server.data,
      to: join(folder, `copy-of-${server.name}`),
      files: { 'recovery.signal': '', 'postgresql.auto.conf': lines.join('') },
    });
  }

  /** Waits until the log that a server has written is in its archive. */
  async function archived(server: Server): Promise<void> {
    const [ended] = await query<{ name: string }>(urlOf(server), 'select pg_walfile_name(pg_switch_wal()) as name');
    await eventually(async () => {
      const [row] = await query<{ name: string }>(
        urlOf(server),
        'select last_archived_wal as name from pg_stat_archiver',
      );
      assert.ok((row?.name ?? '') >= (ended?.name ?? ''), `${server.name}: ${ended?.name} is not archived yet`);
    });
  }

  /** Puts the copies in the place of the servers, and starts them. */
  async function recover(): Promise<void> {
    await cluster.stop();
    for (const { name, data } of cluster.servers) {
      // biome-ignore lint/performance/noAwaitInLoops: one folder after the other
      await rm(data, { recursive: true });
      await rename(join(folder, `copy-of-${name}`), data);
    }
    // A server that still plays its log accepts no connection.
    await eventually(() => cluster.start());
    await Promise.all(cluster.servers.map((server) => eventually(() => query(urlOf(server), 'select 1'))));
  }

  /** Creates workspaces, each in a transaction on all servers, until told to stop or the test ends. */
  function creating(t: TestContext) {
    const created: string[] = [];
    let running = true;
    const loop = (async () => {
      while (running) {
        const email = `another.${created.length}@demo.example`;
        // biome-ignore lint/performance/noAwaitInLoops: one after the other
        const { workspaceId } = await createDemo(latchkey.system, email, { organizations: false });
        created.push(workspaceId);
      }
    })();
    const end = async () => {
      running = false;
      await loop;
    };
    t.after(end);
    return { created, end };
  }

  /** Ends the transactions that servers had prepared at the point: on all servers alike. */
  async function expectNothingPrepared(): Promise<void> {
    await query(cluster.databaseUrl, 'select recover_prepared_transactions()');
    for (const server of cluster.servers)
      assert.deepEqual(
        // biome-ignore lint/performance/noAwaitInLoops: three servers
        await query(urlOf(server), 'select gid from pg_prepared_xacts where database = current_database()'),
        [],
        server.name,
      );
  }

  /** The tables of which every server has a copy are the same on each. */
  async function expectSameCopies(): Promise<void> {
    for (const [table, { kind }] of LAYOUT) {
      if (kind !== 'reference') continue;
      // biome-ignore lint/performance/noAwaitInLoops: few tables
      const copies = await query<{ success: boolean; result: string }>(
        cluster.databaseUrl,
        `select success, result from run_command_on_placements($1, $$select md5(string_agg(t::text, '|' order by t::text)) from %s t$$)`,
        [table],
      );
      assert.deepEqual([copies.length, copies.every(({ success }) => success)], [cluster.servers.length, true], table);
      assert.equal(new Set(copies.map(({ result }) => result)).size, 1, `the copies of ${table} differ`);
    }
  }

  /** A workspace is on all servers, its projects on one: there are both or neither. @returns how many there are */
  async function expectWholeWorkspaces(): Promise<number> {
    const idsOf = async (text: string) => (await query<{ id: string }>(cluster.databaseUrl, text)).map(({ id }) => id);
    const workspaces = await idsOf('select id from workspaces order by id');
    assert.deepEqual(await idsOf('select distinct workspace_id as id from projects order by id'), workspaces);
    return workspaces.length;
  }

  async function expectSound(): Promise<void> {
    const { output } = await runLatchkey(['doctor', '--json'], {
      DATABASE_URL: cluster.databaseUrl,
      LATCHKEY_SECRET: 'a secret of the tests that is long enough',
      LATCHKEY_DATA_DIR: join(folder, 'data'),
    });
    const { findings }: { findings: { check: string; state: string }[] } = JSON.parse(output);
    for (const check of ['database', 'division', 'schema', 'secret'])
      assert.equal(findings.find((finding) => finding.check === check)?.state, 'ok', check);
  }

  async function expectServing(system: TestLatchkey['system'], kept: readonly Acknowledged[]): Promise<void> {
    const second = await startSecondProcess({ system, databaseUrl: cluster.databaseUrl });
    const pool = new pg.Pool({ connectionString: cluster.databaseUrl });
    try {
      await expectKept({ system: { pool } }, kept);
      for (const { clientId } of demos.map(({ environments }) => environments.test)) {
        const body = { clientId, email: newEmail(), password: PASSWORD };
        // biome-ignore lint/performance/noAwaitInLoops: one workspace after the other
        assert.equal((await second.auth('/v1/auth/register', body)).status, 200);
      }
      for (const demo of demos) {
        const last = kept.findLast((one) => one.demo === demo);
        // biome-ignore lint/performance/noAwaitInLoops: one workspace after the other
        const refreshed = await second.auth('/v1/sessions/refresh', { refresh_token: last?.refreshToken });
        assert.equal(refreshed.status, 200, 'a session from before the point goes on');
      }
    } finally {
      await Promise.all([pool.end(), second.stop()]);
    }
  }

  test('all servers have everything from before the point, and nothing from after it', async (t) => {
    const { system } = latchkey;
    const running = load(t, latchkey, demos);
    const workspaces = creating(t);
    await running.served(demos);
    await Promise.all(cluster.servers.map(copy));
    await running.served(demos);
    const kept = [...running.acknowledged];
    const keptWorkspaces = workspaces.created.length;
    await query(cluster.databaseUrl, 'select citus_create_restore_point($1)', [POINT]);
    const atPoint = running.acknowledged.length;
    await running.served(demos);
    await eventually(async () => assert.ok(workspaces.created.length > keptWorkspaces + 2));
    await workspaces.end();
    const { acknowledged, failures } = await running.end();
    assert.deepEqual(failures, []);
    // The first registration of each workspace after the point may have begun before it.
    const lost = demos.flatMap((demo) =>
      acknowledged
        .slice(atPoint)
        .filter((one) => one.demo === demo)
        .slice(1),
    );
    assert.ok(lost.length >= demos.length);
    await Promise.all(cluster.servers.map(archived));
    await latchkey.stop();
    await recover();

    await expectNothingPrepared();
    const ids = lost.map(({ userId }) => userId);
    assert.deepEqual(await query(cluster.databaseUrl, 'select id from users where id = any($1)', [ids]), []);
    await expectSameCopies();
    const there = await expectWholeWorkspaces();
    const all = demos.length + 2 + workspaces.created.length;
    assert.ok(there < all, 'workspaces from after the point are gone');
    await expectSound();
    console.log(`kept ${kept.length}, lost ${lost.length}, ${there} of ${all} workspaces`);
    await expectServing(system, kept);
  });
});
