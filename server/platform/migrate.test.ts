import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { readMigrations } from '#migrations';
import { eventually } from '#tests/harness.ts';
import { cloneDatabase, emptyDatabase } from '#tests/postgres.ts';
import { describeSchema } from '#tests/schema.ts';
import { migrate } from './migrate.ts';

const SCHEMA = new URL('../migrations/schema.sql', import.meta.url);
const HEADER =
  '-- What the migrations add up to. Written by the test of the migrations with UPDATE_SCHEMA=1; never edited, never run.\n\n';

const migrations = await readMigrations();

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

describe('migrations', () => {
  test('add up to the committed schema.sql', async () => {
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
        select from pg_index i where i.indrelid = c.conrelid and i.indpred is null
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
    for (const { id, name, up } of newer) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      await other.query(up);
      await other.query('insert into schema_migrations (id, name) values ($1, $2)', [id, name]);
    }
    await other.end();
    const lines: string[] = [];
    await migrate(url, (line) => lines.push(line));
    assert.deepEqual(lines, [`Migrating the database: ${late.name} (1 of 1)`]);
    await drop();
  });

  test('a migrated database is left alone', async () => {
    const lines: string[] = [];
    await migrate(database.url, (line) => lines.push(line));
    assert.deepEqual(lines, []);
  });

  test('a database of a newer version is refused, with the remedy', async () => {
    await client.query(`insert into schema_migrations (id, name) values (999, 'from the future')`);
    await assert.rejects(
      migrate(database.url, () => undefined),
      /schema 999.*knows schemas up to.*newer version/s,
    );
    await client.query('delete from schema_migrations where id = 999');
  });
});
