import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { emptyDatabase } from '#tests/postgres.ts';
import { readMigrations } from './index.ts';
import { examine } from './statements.ts';

const LAST_RELEASE = resolve(import.meta.dirname, '../../packaging/upgrade/last-release.tgz');

/** Tables that grow with people or with time. Changing all rows of one takes minutes, in which a migration holds its locks. */
const LARGE = new Set([
  'audit_entries',
  'events',
  'identifiers',
  'members',
  'oidc_records',
  'refresh_tokens',
  'scope_entries',
  'sessions',
  'users',
  'webhook_deliveries',
]);

/** The statements of a migration that need a reason. */
function faultsOf({ up, compatibleSince }: { up: string; compatibleSince: number | null }): string[] {
  return examine(up).flatMap(({ text, survivedBecause, contracts, scans, locks }) => {
    const changed = /^(?:update|delete from) (\w+)/i.exec(text)?.[1];
    const grows = changed !== undefined && LARGE.has(changed) && scans.includes(changed);
    const blocked = locks.find((lock) => lock.mode === 'ShareLock' && 'table' in lock && LARGE.has(lock.table));
    const reason = grows
      ? `it changes all rows of ${changed}: name a backfill`
      : blocked
        ? 'it blocks the writes of a large table: build the index concurrently'
        : contracts;
    const isMarked = !blocked && (survivedBecause !== null || (compatibleSince !== null && !grows));
    return reason === null || isMarked ? [] : [`${reason}: ${text.split('\n')[0]}`];
  });
}

const migrations = await readMigrations();
/** The statements of the migrations of the last release, by the name of the migration. */
const released = new Map<string, string[]>();
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-released-'));
  execFileSync('tar', ['-xzf', LAST_RELEASE, '-C', folder, 'package/package.json', 'package/server/migrations']);
  for await (const path of glob('package/server/migrations/[0-9]*.js', { cwd: folder })) {
    const { up }: { up: string } = await import(join(folder, path));
    released.set(
      basename(path, '.js'),
      examine(up).map(({ text }) => text),
    );
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

const nameOf = ({ id, name }: { id: number; name: string }) => `${String(id).padStart(4, '0')}-${name}`;

describe('upgrades without an outage', () => {
  test('the migrations of the last release have not changed', () => {
    assert.ok(released.size > 0);
    const present = new Map(
      migrations.map((migration) => [nameOf(migration), examine(migration.up).map(({ text }) => text)]),
    );
    for (const [name, statements] of released) assert.deepEqual(present.get(name), statements, name);
  });

  test('the last release can serve on the present schema', () => {
    const known = Math.max(...[...released.keys()].map((name) => Number.parseInt(name, 10)));
    assert.deepEqual(
      migrations.filter(({ compatibleSince }) => compatibleSince !== null && compatibleSince > known),
      [],
      'what an earlier version uses is removed two releases later',
    );
  });

  test('a later migration is marked as contracting, or says why earlier versions can still serve', () => {
    const faults = migrations
      .filter((migration) => !released.has(nameOf(migration)))
      .flatMap((migration) => faultsOf(migration).map((fault) => `${nameOf(migration)}: ${fault}`));
    assert.deepEqual(faults, [], 'see "a migration" in CONTRIBUTING.md');
  });

  const contracting = [
    'drop table devices',
    'alter table users drop nickname',
    'alter table users drop column nickname',
    'alter table only public.users drop column nickname',
    'alter table users rename column nickname to called',
    'alter table users rename to people',
    'alter table users add nickname text not null',
    'alter table users add column nickname text, add column gender text not null',
    "alter table users add column nickname text default '', alter gender set not null",
    'alter table users alter column nickname type varchar(10)',
    'alter table users alter nickname set data type varchar(10)',
    'alter table users alter nickname drop default',
    'alter table users add constraint short check (length(nickname) < 10) not valid',
    'alter table users add unique (nickname)',
    'alter table users add column nickname text unique',
    'alter table users add foreign key (home_project_id) references projects on delete cascade',
    'alter table users enable row level security',
    'create unique index concurrently nicknames on users (nickname)',
    'drop index users_search',
    'create table boxes (id text primary key, user_id text references users)',
    'create table boxes (id text primary key, user_id text references users (id) on delete restrict)',
    'create trigger careful before insert on users execute function careful()',
    'do $$ begin alter table users drop nickname; end $$',
    'truncate users',
    "update users set nickname = ''",
    'delete from events',
  ];
  for (const statement of contracting)
    test(`"${statement}" needs a mark or a reason`, () => {
      assert.equal(faultsOf({ up: `select_nothing;\n${statement};`, compatibleSince: null }).length, 2);
      const reason = '-- Earlier versions: they survive.';
      assert.deepEqual(faultsOf({ up: `${reason}\n${statement};`, compatibleSince: null }), []);
      const other = `${reason}\ncreate table a (b text);\n${statement}`;
      assert.equal(faultsOf({ up: other, compatibleSince: null }).length, 1, 'a reason is that of one statement');
    });

  test('an index on a large table is built concurrently, whatever the reason', () => {
    const up = '-- Earlier versions: they survive.\ncreate index nicknames on users (nickname)';
    assert.deepEqual(faultsOf({ up, compatibleSince: 1 }), [
      'it blocks the writes of a large table: build the index concurrently: create index nicknames on users (nickname)',
    ]);
    assert.deepEqual(faultsOf({ up: `create table users (nickname text);\n${up}`, compatibleSince: null }), []);
  });

  test('a migration outside of a transaction only creates and drops indexes', () => {
    for (const { up, name } of migrations.filter(({ concurrently }) => concurrently))
      for (const { text } of examine(up)) assert.match(text, /^(?:create (?:unique )?|drop )index concurrently /, name);
    for (const { up, name } of migrations.filter(({ concurrently }) => !concurrently))
      assert.doesNotMatch(up, /\bconcurrently\b/, name);
  });

  test('statements that only add need neither mark nor reason', () => {
    for (const statement of [
      'create table boxes (id text primary key, user_id text references users (id) on delete cascade)',
      'create table boxes (id text unique); create unique index b on boxes (id); alter table boxes add c text not null',
      'create index concurrently nicknames on users (nickname)',
      'create index titles on projects (name)',
      "alter table users add column nickname text not null default 'drop column; rename', add gender text",
      'alter table users add checked_at timestamptz, add column unique_name text, add primary_email text',
      'alter table users alter nickname drop not null, alter gender set default null',
      'update roles set permissions = permissions',
      'insert into apis select * from applications',
      'create or replace function careful() returns trigger language plpgsql as $$ begin drop table a; end $$',
      "-- drop table users;\ncreate table boxes (a text default '-- drop; table')",
    ])
      assert.deepEqual(faultsOf({ up: statement, compatibleSince: null }), [], statement);
  });
});

describe('the locks of migrations', () => {
  let client: pg.Client;
  let drop: () => Promise<void>;
  before(async () => {
    const database = await emptyDatabase(process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '');
    drop = database.drop;
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  after(() => client.end().then(drop));

  /** The locks that the open transaction holds on these tables, as `table mode`. */
  const held = async (tables: readonly string[]) =>
    (
      await client.query<{ lock: string }>(
        `select distinct relation::regclass || ' ' || mode as lock from pg_locks
         where pid = pg_backend_pid() and relation::regclass::text = any($1)
           and mode in ('RowExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'AccessExclusiveLock')`,
        [tables],
      )
    ).rows.map(({ lock }) => lock);

  test('examine() finds the locks that PostgreSQL takes for each migration', async () => {
    for (const { up, ...migration } of migrations) {
      // A statement of its own holds its locks only while it runs.
      if (migration.concurrently) {
        assert.deepEqual(
          examine(up).flatMap(({ locks }) => locks),
          [],
        );
        // biome-ignore lint/performance/noAwaitInLoops: one statement after the other
        for (const { text } of examine(up)) await client.query(text);
        continue;
      }
      const { rows } = await client.query<{ name: string; of: string }>(
        `select c.relname as name, coalesce(t.relname, c.relname) as of from pg_class c
         left join pg_index i on i.indexrelid = c.oid left join pg_class t on t.oid = i.indrelid
         where c.relkind in ('r', 'i') and c.relnamespace = 'public'::regnamespace`,
      );
      const tableOf = new Map(rows.map(({ name, of }) => [name, of]));
      const expected = examine(up).flatMap(({ locks }) =>
        locks.flatMap((lock) => {
          const table = tableOf.get('table' in lock ? lock.table : lock.index);
          return table === undefined ? [] : [`${table} ${lock.mode}`];
        }),
      );
      await client.query('begin');
      await client.query(up);
      const taken = await held([...new Set(tableOf.values())]);
      await client.query('commit');
      if (!released.has(nameOf(migration)))
        assert.deepEqual(taken.toSorted(), [...new Set(expected)].toSorted(), nameOf(migration));
    }
  });
});
