import type pg from 'pg';
import type { Migration } from '#migrations';
import { nameBackfill } from './backfills.ts';
import { VERSION } from './version.ts';

/**
 * The records of migrations. Versions up to 0.1.0 read `schema_migrations` and refuse to start if it names a migration that
 * they do not know. So it names only the migrations that a version must know to run on the schema; all of them are in
 * `applied_migrations`. A migration may drop `schema_migrations` when no supported version reads it.
 */
const TABLES = `
create table if not exists schema_migrations (
  id integer primary key, name text not null, applied_at timestamptz not null default now());
create table if not exists applied_migrations (
  id integer primary key,
  name text not null,
  -- The schema that a version must know to run after this migration. Null: every version that ran before it.
  compatible_since integer,
  -- The version of Latchkey that applied the migration. Null: not recorded.
  version text,
  applied_at timestamptz not null default now());`;

/** The schema of a database, read from its records of migrations. */
export type AppliedSchema = {
  applied: ReadonlySet<number>;
  /** The number of the newest migration; 0 for an empty database. */
  newest: number;
  /** The number of the schema that a version must know to run on this database. */
  compatibleSince: number;
  /** The version of Latchkey that applied the newest migration; null if it was not recorded. */
  version: string | null;
};

type Record = { id: number; compatible_since: number | null; version: string | null };

export async function readSchema(client: pg.ClientBase): Promise<AppliedSchema> {
  const records = await readRecords(client);
  return {
    applied: new Set(records.map(({ id }) => id)),
    newest: records.at(-1)?.id ?? 0,
    compatibleSince: Math.max(0, ...records.map(({ compatible_since }) => compatible_since ?? 0)),
    version: records.at(-1)?.version ?? null,
  };
}

async function readRecords(client: pg.ClientBase): Promise<Record[]> {
  const { rows } = await client.query<{ recorded: boolean; old: boolean }>(
    "select to_regclass('applied_migrations') is not null as recorded, to_regclass('schema_migrations') is not null as old",
  );
  const [tables] = rows;
  if (tables?.recorded)
    return (await client.query<Record>('select id, compatible_since, version from applied_migrations order by id'))
      .rows;
  if (!tables?.old) return [];
  // Version 0.1.0 refuses every schema that it does not know.
  return (
    await client.query<Record>('select id, id as compatible_since, null as version from schema_migrations order by id')
  ).rows;
}

/** Creates the tables of the records, and copies the records that versions up to 0.1.0 wrote. */
export async function adoptRecords(client: pg.ClientBase, migrations: readonly Migration[]): Promise<void> {
  await client.query(TABLES);
  await client.query(
    `insert into applied_migrations (id, name, compatible_since, applied_at)
     select id, name, compatible_since, applied_at
     from schema_migrations left join unnest($1::integer[], $2::integer[]) as known (id, compatible_since) using (id)
     on conflict do nothing`,
    [migrations.map(({ id }) => id), migrations.map(({ compatibleSince }) => compatibleSince)],
  );
}

type RecordedMigration = Pick<Migration, 'id' | 'name' | 'compatibleSince' | 'backfill'>;

/** Records a migration in the transaction that applies it. */
export async function recordMigration(
  client: pg.ClientBase,
  { id, name, compatibleSince, backfill }: RecordedMigration,
): Promise<void> {
  await client.query('insert into applied_migrations (id, name, compatible_since, version) values ($1, $2, $3, $4)', [
    id,
    name,
    compatibleSince,
    VERSION,
  ]);
  await client.query(
    `insert into schema_migrations (id, name, applied_at) select id, name, applied_at from applied_migrations
     where id <= (select max(compatible_since) from applied_migrations) on conflict do nothing`,
  );
  if (backfill !== null) await nameBackfill(client, name, backfill);
}
