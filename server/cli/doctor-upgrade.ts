import type pg from 'pg';
import { readMigrations } from '#migrations';
import { type AppliedSchema, readSchema } from '#platform/applied-migrations.ts';
import { readBackfills } from '#platform/backfills.ts';
import type { Finding } from './doctor.ts';
import { toldBackfill } from './migrate.ts';
import { type PlannedMigration, planMigrations } from './migration-plan.ts';

const check = 'schema';
/** A transaction that is open for longer is likely to make a migration wait. */
const LONG_SECONDS = 30;

/**
 * Says which versions can serve with this database, what this version would change, and what is in its way.
 * @returns also whether the database has at least the schema of this version
 */
export async function checkUpgrade(client: pg.Client): Promise<{ ready: boolean; findings: Finding[] }> {
  const known = (await readMigrations()).at(-1)?.id ?? 0;
  const schema = await readSchema(client);
  if (schema.newest === 0)
    return { ready: false, findings: [{ check, state: 'ok', found: 'none yet: the first start creates it' }] };
  if (schema.compatibleSince > known) return { ready: false, findings: [tooNew(schema, known)] };
  const pending = await planMigrations(client, await readMigrations());
  const backfills = await unfinished(client);
  if (pending.length === 0)
    return {
      ready: true,
      findings: [{ check, state: 'ok', found: `${named(schema)}; ${beside(schema)}` }, ...backfills],
    };
  return {
    ready: false,
    findings: [
      waiting(schema, pending),
      ...backfills,
      ...(await rightsFor(client)),
      ...(await blockersOf(client, pending, LONG_SECONDS)),
    ],
  };
}

/** A later version may need what a backfill fills. */
async function unfinished(client: pg.Client): Promise<Finding[]> {
  const open = (await readBackfills(client)).filter(({ completed }) => !completed);
  return open.map((backfill) => ({
    check: 'backfill',
    state: 'warning',
    found: toldBackfill(backfill),
    remedy: 'It continues while a process with the role worker runs. Wait for its end before you upgrade again.',
  }));
}

function named({ newest, version }: AppliedSchema): string {
  return version === null ? String(newest) : `${newest} of Latchkey ${version}`;
}

function beside({ compatibleSince }: AppliedSchema): string {
  return `versions that know schema ${compatibleSince} or newer can serve`;
}

function tooNew(schema: AppliedSchema, known: number): Finding {
  return {
    check,
    state: 'failed',
    found: `${named(schema)}; this version knows schemas up to ${known}, and ${schema.compatibleSince} is needed`,
    remedy: 'Run the newer Latchkey that migrated it, or restore a backup made before.',
  };
}

function waiting(schema: AppliedSchema, pending: PlannedMigration[]): Finding {
  const needed = Math.max(0, ...pending.map(({ compatibleSince }) => compatibleSince ?? 0));
  const found = `${named(schema)}; this version has ${pending.length} migrations to apply`;
  if (needed > schema.newest)
    return {
      check,
      state: 'warning',
      found: `${found}, after which versions that do not know schema ${needed} cannot serve`,
      remedy: `Upgrade to a version with schema ${needed} first, or stop all processes before you migrate.`,
    };
  return {
    check,
    state: 'warning',
    found: `${found}, while versions that know schema ${Math.max(needed, schema.compatibleSince)} keep serving`,
    remedy: 'See what it does: latchkey migrate --plan. The next start migrates, or run: latchkey migrate',
  };
}

/** Only the owner of a table may change it. */
async function rightsFor(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<{ user: string; may: boolean }>(
    `select current_user as user, has_schema_privilege('public', 'create')
       and bool_and(pg_has_role(relowner, 'usage')) as may
     from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  if (rows[0]?.may) return [];
  return [
    {
      check: 'right to migrate',
      state: 'warning',
      found: `${rows[0]?.user} does not own the tables`,
      remedy: 'Run "latchkey migrate" as the user that owns them before you start this version.',
    },
  ];
}

/** Transactions that have been open for longer than `longSeconds` and hold locks on tables that pending migrations lock. */
export async function blockersOf(
  client: pg.Client,
  pending: PlannedMigration[],
  longSeconds: number,
): Promise<Finding[]> {
  const tables = pending.flatMap(({ statements }) =>
    statements.flatMap(({ locks }) => locks.map(({ table }) => table)),
  );
  const { rows } = await client.query<{ pid: number; name: string; seconds: number; tables: string }>(
    `select a.pid, coalesce(nullif(a.application_name, ''), a.usename, 'unnamed') as name,
       extract(epoch from clock_timestamp() - a.xact_start)::integer as seconds,
       string_agg(distinct l.relation::regclass::text, ', ') as tables
     from pg_stat_activity a join pg_locks l using (pid)
     where a.pid <> pg_backend_pid() and a.datname = current_database() and l.granted
       and a.xact_start < clock_timestamp() - make_interval(secs => $2)
       and l.relation = any (select to_regclass(t) from unnest($1::text[]) t)
     group by a.pid, name, a.xact_start`,
    [[...new Set(tables)], longSeconds],
  );
  return rows.map(({ pid, name, seconds, tables: held }) => ({
    check: 'long transaction',
    state: 'warning',
    found: `${name} (process ${pid} of the database) uses ${held} since ${seconds} s`,
    remedy: `Migrations, and the requests behind them, would wait for it. Let it end, or: select pg_terminate_backend(${pid})`,
  }));
}
