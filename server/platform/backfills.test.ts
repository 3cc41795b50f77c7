import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { backfillTask, continueBackfills, isBackfilled, readBackfills } from './backfills.ts';
import { startJobs } from './jobs.ts';
import { applyMigrations } from './migrate.ts';

const ROWS = 2_500;
const migration = {
  id: 9001,
  name: 'folded-names',
  up: 'alter table boxes add folded text; create table empty_boxes (id text primary key, name text, folded text)',
  compatibleSince: null,
  concurrently: false,
  backfill: { table: 'boxes', set: 'folded = lower(name)', where: 'folded is null' },
};
const ofEmpty = {
  ...migration,
  id: 9002,
  name: 'nothing-to-do',
  up: '',
  backfill: { ...migration.backfill, table: 'empty_boxes' },
};

let latchkey: TestLatchkey;
let client: pg.Client;
before(async () => {
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_ROLES: 'api' } });
  client = new pg.Client({ connectionString: latchkey.databaseUrl });
  await client.connect();
  await client.query(`
    create table boxes (kind text, number bigint, name text, primary key (kind, number));
    insert into boxes select 'kind ' || n % 3, n, 'Box ' || n from generate_series(1, ${ROWS}) n; analyze boxes;`);
  await applyMigrations(client, [migration, ofEmpty], () => undefined);
});
after(async () => {
  await client.end();
  await latchkey.stop();
});

const progress = async () => (await readBackfills(client)).find(({ name }) => name === migration.name);
const missing = async () =>
  (await client.query('select count(*)::integer as n from boxes where folded is null')).rows[0].n;

test('a backfill changes rows in steps of the primary key, continues after a failure, and says when it is complete', async (t) => {
  assert.equal(await isBackfilled(latchkey.system, ofEmpty.name), true, 'an empty table needs none');
  assert.equal(await isBackfilled(latchkey.system, 'no-such-backfill'), false);
  assert.deepEqual(await progress(), { name: migration.name, done: 0, total: ROWS, completed: false });
  await client.query("begin; select from boxes where kind = 'kind 2' for update");
  const jobs = await startJobs(
    latchkey.system,
    { backfill: backfillTask(latchkey.system, () => Promise.resolve([migration, ofEmpty])) },
    2,
  );
  t.after(() => jobs.stop());
  await continueBackfills(latchkey.system);
  // Each start of a worker does so.
  await continueBackfills(latchkey.system);
  const other = new pg.Client({ connectionString: latchkey.databaseUrl });
  await other.connect();
  t.after(() => other.end());
  // The next step waits for the locked rows, and is interrupted.
  await eventually(async () => {
    const { rows } = await other.query(
      `select pg_cancel_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%update "boxes"%'`,
    );
    assert.equal(rows.length, 1);
  });
  assert.equal((await progress())?.done, 1_000);
  assert.equal(await missing(), ROWS - 1_000);
  assert.equal(await isBackfilled(latchkey.system, migration.name), false);
  await client.query('commit');
  await eventually(async () => assert.equal(await isBackfilled(latchkey.system, migration.name), true));
  assert.deepEqual(await progress(), { name: migration.name, done: ROWS, total: ROWS, completed: true });
  assert.equal(await missing(), 0);
  const { rows } = await client.query('select from boxes where folded is distinct from lower(name)');
  assert.equal(rows.length, 0);
});
