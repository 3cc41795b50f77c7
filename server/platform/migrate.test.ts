import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { readMigrations } from '#migrations';
import { eventually } from '#tests/harness.ts';
import { CLUSTER, cloneDatabase, emptyDatabase } from '#tests/postgres.ts';
import { describeSchema } from '#tests/schema.ts';
import { advisoryLocks, takeLock } from './advisory-locks.ts';
import { adoptRecords, readSchema, recordMigration } from './applied-migrations.ts';
import { applyMigrations, migrate, pendingOf } from './migrate.ts';
import { StartError } from './start-error.ts';

const SCHEMA = new URL('../migrations/schema.sql', import.meta.url);
const HEADER =
  '-- What the migrations add up to. Written by the test of the migrations with UPDATE_SCHEMA=1; never edited, never run.\n\n';

const migrations = await readMigrations();
const newest = migrations.at(-1)?.id ?? 0;
/** The schema of version 0.1.0. */
const RELEASED = 38;

let database: { url: string; drop: () => Promise<void> };
let client: pg.Client;
before(async () => {
  database = await cloneDatabase(process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '');
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
after(async () => {
  await client.end();
  await database.drop();
});

/** A migrated database and a connection to it, for one test. */
async function ownDatabase(t: TestContext): Promise<{ url: string; client: pg.Client }> {
  const { url, drop } = await cloneDatabase(database.url);
  const own = new pg.Client({ connectionString: url });
  await own.connect();
  t.after(() => own.end().then(drop));
  return { url, client: own };
}

describe('migrations', () => {
  test('add up to the committed schema.sql', {
    skip: CLUSTER !== null && 'some of it is not on a cluster',
  }, async () => {
    const found = HEADER + (await describeSchema(client));
    if (process.env['UPDATE_SCHEMA']) await writeFile(SCHEMA, found);
    assert.equal(found, await readFile(SCHEMA, 'utf8'), 'run again with UPDATE_SCHEMA=1 and look at the difference');
  });

  test('come from the files of the folder, each with a number of its own', () => {
    const ids = migrations.map(({ id }) => id);
    assert.deepEqual(
      ids,
      [...new Set(ids)].toSorted((a, b) => a - b),
    );
    assert.deepEqual([migrations[0]?.id, migrations[0]?.name], [1, 'foundation']);
    assert.ok(migrations.length >= 29 && migrations.every(({ up }) => up.length > 0));
  });

  test('every foreign key with on delete cascade has an index', async () => {
    const { rows } = await client.query(`
      select c.conrelid::regclass || ' of ' || c.confrelid::regclass as missing from pg_constraint c
      where c.contype = 'f' and c.confdeltype = 'c' and not exists (
        select from pg_index i where i.indrelid = c.conrelid
        and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) in (
          -- The statement of the cascade compares every column, so it finds no row where one is null.
          select format('(%I IS NOT NULL)', a.attname) from pg_attribute a
          where a.attrelid = c.conrelid and a.attnum = any(c.conkey)))
        and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)`);
    assert.deepEqual(rows, []);
  });

  test('several processes may migrate an empty database at once: each migration runs once', async () => {
    await client.query('create database fresh_for_migration');
    const url = new URL(database.url);
    url.pathname = '/fresh_for_migration';
    const lines: string[] = [];
    await Promise.all(Array.from({ length: 4 }, () => migrate(url.href, (line) => lines.push(line))));
    assert.deepEqual(
      lines.filter((line) => !line.startsWith('Waiting for')),
      migrations.map(({ name }, index) => `Migrating the database: ${name} (${index + 1} of ${migrations.length})`),
    );
    // The server releases a closed connection a moment later.
    await eventually(() => client.query('drop database fresh_for_migration'));
  });

  test('a migration with a lower number than applied ones is not skipped', async () => {
    const { url, drop } = await emptyDatabase(database.url);
    // No later migration builds on this one.
    const late = migrations.find(({ name }) => name === 'profile-claims');
    assert.ok(late);
    const newer = migrations.filter(({ id }) => id > late.id);
    assert.ok(newer.length > 0);
    await migrate(url, () => undefined, late.id - 1);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    for (const migration of newer) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      await applyMigrations(other, [migration], () => undefined);
    }
    await other.end();
    const lines: string[] = [];
    await migrate(url, (line) => lines.push(line));
    assert.deepEqual(lines, [`Migrating the database: ${late.name} (1 of 1)`]);
    await drop();
  });

  describe('that build indexes concurrently', () => {
    const migration = {
      id: 9001,
      name: 'concurrently',
      up: 'create index concurrently late on users (id); create unique index concurrently unique_late on users (workspace_id, id)',
      compatibleSince: null,
      concurrently: true,
      backfill: null,
    };
    const indexesOf = async (on: pg.Client) =>
      (
        await on.query(
          "select indexrelid::regclass::text as name, indisvalid as valid from pg_index where indexrelid::regclass::text in ('late', 'unique_late') order by 1",
        )
      ).rows;
    const both = [
      { name: 'late', valid: true },
      { name: 'unique_late', valid: true },
    ];

    test('continue after an interruption: what it left invalid is built again', async (t) => {
      const { url, client: own } = await ownDatabase(t);
      const writing = new pg.Client({ connectionString: url });
      writing.on('error', () => undefined);
      await writing.connect();
      // The index waits for this transaction, and is interrupted while it waits.
      await writing.query(
        "begin; update roles set name = name where name = 'nobody'; lock table users in row exclusive mode",
      );
      const interrupted = assert.rejects(
        applyMigrations(own, [migration], () => undefined),
        /canceling statement/,
      );
      await eventually(async () => {
        // A transaction sees the activity of others as it was when it first looked, so another connection looks.
        const { rows } = await client.query(
          "select pg_cancel_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and query like 'create index concurrently late%' and datname = $1",
          [new URL(url).pathname.slice(1)],
        );
        assert.equal(rows.length, 1);
      });
      await interrupted;
      assert.deepEqual(await indexesOf(own), [{ name: 'late', valid: false }]);
      await writing.query('commit');
      await writing.end();
      await own.query('rollback');
      await applyMigrations(own, [migration], () => undefined);
      assert.deepEqual(await indexesOf(own), both);
    });

    test('end also while another process waits to migrate', async (t) => {
      const { url, client: own } = await ownDatabase(t);
      const lock = advisoryLocks.migration;
      const { promise: waiting, resolve: tell } = Promise.withResolvers<unknown>();
      const next = new pg.Client({ connectionString: url });
      next.on('error', () => undefined);
      await next.connect();
      await takeLock(own, lock, { text: '', tell });
      const taken = takeLock(next, lock, { text: 'waiting', tell });
      assert.equal(await waiting, 'waiting');
      await applyMigrations(own, [migration], () => undefined);
      assert.deepEqual(await indexesOf(own), both);
      await own.query('select pg_advisory_unlock($1)', [lock]);
      await taken;
      await next.end();
    });
  });

  test('a migrated database is left alone', async () => {
    const lines: string[] = [];
    await migrate(database.url, (line) => lines.push(line));
    assert.deepEqual(lines, []);
  });

  test('a version that a newer schema still supports starts on it, and changes nothing', async (t) => {
    const { url, client: other } = await ownDatabase(t);
    await recordMigration(other, { id: 9001, name: 'expands', compatibleSince: null, backfill: null });
    await migrate(url, assert.fail);
    await recordMigration(other, {
      id: 9002,
      name: 'contracts-to-what-this-version-knows',
      compatibleSince: newest,
      backfill: null,
    });
    await migrate(url, assert.fail);
    await recordMigration(other, { id: 9003, name: 'contracts', compatibleSince: newest + 1, backfill: null });
    await assert.rejects(
      migrate(url, () => undefined),
      (error: Error) =>
        error instanceof StartError &&
        new RegExp(
          `^The database has schema 9003 of Latchkey [\\d.]+, which needs a version that knows schema ${newest + 1}; this Latchkey knows schemas up to ${newest}\\. Run the newer version[^\\n]*$`,
        ).test(error.message),
    );
  });

  const released = CLUSTER !== null && 'version 0.1.0 does not start on a divided database';
  test('version 0.1.0 finds only the migrations that it must know, and its own records are taken over', {
    skip: released,
  }, async (t) => {
    const { client: other } = await ownDatabase(t);
    const known = async () => (await other.query('select max(id) as id from schema_migrations')).rows[0]?.id;
    assert.equal(await known(), RELEASED);
    // What version 0.1.0 leaves behind.
    await other.query('drop table applied_migrations');
    assert.equal((await readSchema(other)).compatibleSince, RELEASED);
    await adoptRecords(other, migrations);
    const newer = migrations.filter(({ id }) => id > RELEASED);
    assert.deepEqual(pendingOf(await readSchema(other), migrations), newer);
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    for (const migration of newer) await recordMigration(other, migration);
    assert.equal(await known(), RELEASED);
    assert.equal((await readSchema(other)).compatibleSince, RELEASED);
    await recordMigration(other, { id: 9001, name: 'contracts', compatibleSince: newest, backfill: null });
    assert.equal(await known(), newest, 'version 0.1.0 refuses to start from now on');
  });
});
