import type { Task } from 'graphile-worker';
import { type Generated, sql } from 'kysely';
import type pg from 'pg';
import { type Backfill, readMigrations } from '#migrations';
import { installationScope, systemCtx, type TxCtx, transaction } from './ctx.ts';
import type { ReadDb } from './db.ts';
import { addJob } from './jobs.ts';
import { gauge, type Metric } from './metrics.ts';
import { primaryKeyOf } from './primary-keys.ts';
import type { System } from './system.ts';

declare module './db.ts' {
  interface Tables {
    backfills: BackfillsTable;
  }
}

declare module './jobs.ts' {
  interface Jobs {
    backfill: { name: string };
  }
}

type BackfillsTable = {
  name: string;
  position: string[] | null;
  rows_done: Generated<number>;
  rows_total: number;
  updated_at: Generated<Date>;
  completed_at: Date | null;
};

/** Rows that a step reads. It changes them in one transaction, so requests wait for no more than these. */
const STEP_ROWS = 1_000;

/** How far a backfill is. */
export type BackfillProgress = { name: string; done: number; total: number; completed: boolean };

/** Names a backfill in the transaction of its migration. An empty table needs none. */
export async function nameBackfill(client: pg.ClientBase, name: string, { table }: Backfill): Promise<void> {
  const identifier = client.escapeIdentifier(table);
  await client.query(
    `insert into backfills (name, rows_total, completed_at)
     select $1, greatest(reltuples, 0), case when exists (select from ${identifier}) then null else now() end
     from pg_class where oid = $2::regclass`,
    [name, identifier],
  );
}

/** Whether the rows of a large table have what a migration gives them. Code that needs all of them asks first. */
export async function isBackfilled({ db }: { db: ReadDb }, name: string): Promise<boolean> {
  const found = await db.selectFrom('backfills').select('completed_at').where('name', '=', name).executeTakeFirst();
  return found !== undefined && found.completed_at !== null;
}

/** The backfills of a database, over a connection of a command; none if the schema has none. */
export async function readBackfills(client: pg.ClientBase): Promise<BackfillProgress[]> {
  const { rows } = await client.query<{ there: boolean }>("select to_regclass('backfills') is not null as there");
  if (!rows[0]?.there) return [];
  const found = await client.query<BackfillProgress>(
    'select name, rows_done as done, rows_total as total, completed_at is not null as completed from backfills order by name',
  );
  return found.rows;
}

/** A backfill with the state of its job: `error` and `nextAttemptAt` of a step that failed, null if it did not. */
export type BackfillState = {
  name: string;
  state: 'waiting' | 'running' | 'failed' | 'done';
  done: number;
  /** The number of rows as the planner estimated it when the migration ran. */
  total: number;
  updatedAt: Date;
  completedAt: Date | null;
  error: string | null;
  nextAttemptAt: Date | null;
};

type JobOfBackfill = { error: string | null; locked: boolean; given_up: boolean; run_at: Date };
type BackfillRow = Omit<BackfillState, 'state' | 'error' | 'nextAttemptAt'> &
  (JobOfBackfill | Record<keyof JobOfBackfill, null>);

/** After the time of a step, a worker begins it at once, unless none is running. */
const IDLE_MS = 60_000;

/** The backfills of the installation, the newest migration first. */
export async function listBackfills({ db, clock }: Pick<System, 'db' | 'clock'>): Promise<BackfillState[]> {
  const { rows } = await sql<BackfillRow>`
    select b.name, b.rows_done as done, b.rows_total as total, b.updated_at as "updatedAt", b.completed_at as "completedAt",
      job.last_error as error, job.locked_at is not null as locked, job.attempts >= job.max_attempts as given_up, job.run_at
    from backfills b left join graphile_worker.jobs job on job.key = 'backfill ' || b.name and b.completed_at is null
    order by b.created_at desc, b.name`.execute(db);
  const now = clock.now().getTime();
  return rows.map(({ error, locked, given_up: givenUp, run_at: runAt, ...row }) => ({
    ...row,
    state: stateOf(row.completedAt, { error, locked, isDue: runAt !== null && now - runAt.getTime() < IDLE_MS }),
    error: error?.split('\n')[0] ?? null,
    nextAttemptAt: error === null || givenUp ? null : runAt,
  }));
}

function stateOf(
  completedAt: Date | null,
  job: { error: string | null; locked: boolean | null; isDue: boolean },
): BackfillState['state'] {
  if (completedAt !== null) return 'done';
  if (job.locked) return 'running';
  if (job.error !== null) return 'failed';
  return job.isDue ? 'running' : 'waiting';
}

/** Continues the backfills that are not complete: the worker does so when it starts. */
export async function continueBackfills(system: System): Promise<void> {
  await transaction(contextOf(system), async (tx) => {
    const open = await tx.db.selectFrom('backfills').select('name').where('completed_at', 'is', null).execute();
    // biome-ignore lint/performance/noAwaitInLoops: one connection
    for (const { name } of open) await addStep(tx, name, tx.now);
  });
}

/** One step of a backfill, and the job of the next one in the same transaction. */
export function backfillTask(system: System, read = readMigrations): Task {
  return async (payload) => {
    const { name }: { name: string } = Object(payload);
    const backfill = (await read()).find((migration) => migration.name === name)?.backfill;
    if (!backfill) throw new Error(`This version has no backfill ${name}.`);
    await transaction(contextOf(system), async (tx) => {
      const began = performance.now();
      if (!(await takeStep(tx, name, backfill))) return;
      // The database rests as long as it worked.
      await addStep(tx, name, new Date(tx.now.getTime() + 2 * (performance.now() - began)));
    });
  };
}

function contextOf(system: System) {
  return systemCtx(system, installationScope('production'), 'backfills', 'backfills');
}

async function addStep(tx: TxCtx, name: string, runAt: Date): Promise<void> {
  await addJob(tx, 'backfill', { name }, { key: `backfill ${name}`, queue: 'backfills', priority: 10, runAt });
}

/** @returns whether rows are left */
async function takeStep(tx: TxCtx, name: string, backfill: Backfill): Promise<boolean> {
  const state = await tx.db
    .selectFrom('backfills')
    .select('position')
    .where('name', '=', name)
    .where('completed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!state) return false;
  const { seen, last } = await changeRows(tx, backfill, state.position);
  const isLast = seen < STEP_ROWS;
  await tx.db
    .updateTable('backfills')
    .set(({ eb }) => ({
      position: last ?? state.position,
      rows_done: eb('rows_done', '+', seen),
      updated_at: tx.now,
      completed_at: isLast ? tx.now : null,
    }))
    .where('name', '=', name)
    .execute();
  return !isLast;
}

/**
 * Reads the next rows in the order of the primary key, and changes those that need it. The change names the range
 * instead of the rows, because several servers may have them.
 */
async function changeRows(
  tx: TxCtx,
  { table, set, where }: Backfill,
  position: readonly string[] | null,
): Promise<{ seen: number; last: string[] | null }> {
  const key = await primaryKeyOf(tx, table);
  const columns = sql.join(key.map(({ column }) => sql.ref(column)));
  const at = (place: readonly string[]) =>
    sql`(${sql.join(key.map(({ type }, index) => sql`${place[index] ?? ''}::text::${sql.raw(type)}`))})`;
  const after = position === null ? sql`true` : sql`(${columns}) > ${at(position)}`;
  const { rows } = await sql<{ keys: string[] }>`
    select array[${sql.join(key.map(({ column }) => sql`${sql.ref(column)}::text`))}] as keys
    from ${sql.table(table)} where ${after} order by ${columns} limit ${STEP_ROWS} /* all workspaces */`.execute(tx.db);
  const last = rows.at(-1)?.keys ?? null;
  if (last !== null)
    await sql`update ${sql.table(table)} set ${sql.raw(set)}
      where ${after} and (${columns}) <= ${at(last)} and (${sql.raw(where)}) /* all workspaces */`.execute(tx.db);
  return { seen: rows.length, last };
}

export const backfillMetrics: readonly Metric[] = [
  gauge({
    name: 'latchkey_backfill_progress_ratio',
    help: 'The share of rows that a backfill of a migration has read, from 0 to 1. Absent when it is complete.',
    labels: { backfill: 'the name of the migration' },
    roles: ['worker'],
    read: async ({ db }) => {
      const open = await db
        .selectFrom('backfills')
        .select(['name', 'rows_done', 'rows_total'])
        .where('completed_at', 'is', null)
        .execute();
      return open.map(({ name, rows_done, rows_total }) => ({
        labels: { backfill: name },
        value: rows_done / Math.max(rows_done, rows_total, 1),
      }));
    },
  }),
];
