import { type ColumnType, type Generated, type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { type Actor, type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import { type Id, IdSchema, newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { addJob } from '#platform/jobs.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { removeWouldBeMembers } from './import-dry-runs.ts';

export type ImportId = Id<'imp'>;

const Status = Type.Enum(['receiving', 'queued', 'running', 'completed']);

/** Why a row was not imported. */
export const Faults = Type.Array(Type.Object({ pointer: Type.String(), message: Type.String() }));
export type Fault = { row: number; errors: Static<typeof Faults> };

type MemberImportsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: ImportId;
  status: Static<typeof Status>;
  dry_run: boolean;
  actor: Json<Actor>;
  bytes: Generated<number>;
  rows: Generated<number>;
  chunks: Generated<number>;
  chunks_done: Generated<number>;
  created: Generated<number>;
  joined: Generated<number>;
  unchanged: Generated<number>;
  failed: Generated<number>;
  created_at: Date;
  started_at: Generated<Date | null>;
  finished_at: Generated<Date | null>;
};

type MemberImportChunksTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  import_id: ImportId;
  number: number;
  first_row: number;
  rows: number;
  content: string | null;
  outcomes: Generated<string | null>;
  failed: Generated<number>;
  faults: ColumnType<Fault[], string | undefined, string>;
};

declare module '#platform/db.ts' {
  interface Tables {
    member_imports: MemberImportsTable;
    member_import_chunks: MemberImportChunksTable;
  }
}

/** The payload of a job that processes an import. Several jobs share one import. */
export const ImportWork = Type.Object({
  workspaceId: IdSchema('wrk'),
  projectId: IdSchema('prj'),
  environment: Type.Enum(['test', 'production']),
  importId: IdSchema('imp'),
});

declare module '#platform/jobs.ts' {
  interface Jobs {
    import_members: Static<typeof ImportWork>;
  }
}

/** The result of a row; stored as its first letter. */
export const Outcome = Type.Enum(['created', 'joined', 'unchanged', 'failed']);
type Outcome = Static<typeof Outcome>;

export const MemberImport = Type.Object(
  {
    id: IdSchema('imp'),
    status: Status,
    dryRun: Type.Boolean(),
    rows: Type.Integer({ description: 'The number of rows in the file.' }),
    rowsDone: Type.Integer(),
    created: Type.Integer({ description: 'People who are new to the workspace.' }),
    joined: Type.Integer({
      description: 'People of the workspace who are new to the project; their accounts are unchanged.',
    }),
    unchanged: Type.Integer({ description: 'People who are members already.' }),
    failed: Type.Integer(),
    createdAt: Instant,
    startedAt: nullable(Instant),
    finishedAt: nullable(Instant),
  },
  { title: 'MemberImport' },
);
export type MemberImport = Static<typeof MemberImport>;

export const ImportRef = Type.Object({ jobId: IdSchema('imp') });

type Row = Selectable<MemberImportsTable>;

function recordOf(row: Row): MemberImport {
  const { id, status, created, joined, unchanged, failed } = row;
  return {
    id,
    status,
    dryRun: row.dry_run,
    rows: row.rows,
    rowsDone: created + joined + unchanged + failed,
    created,
    joined,
    unchanged,
    failed,
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
}

/** @throws Problem NOT_FOUND */
export async function getImport(ctx: Ctx, id: ImportId): Promise<MemberImport> {
  const row = await ctx.db
    .selectFrom('member_imports')
    .selectAll()
    .where(inScope(ctx))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return recordOf(row);
}

/** Imports of the last thirty days, newest first, including those still being uploaded. Served by the primary key. */
export async function listImports(ctx: Ctx, { limit, cursor }: Static<typeof PageQuery>): Promise<Page<MemberImport>> {
  const list = 'member-imports';
  const query = ctx.db.selectFrom('member_imports').selectAll().where(inScope(ctx));
  const page = await newestFirst(ctx, query, { list, limit, cursor });
  return { items: page.rows.map(recordOf), nextCursor: page.nextCursor };
}

/** Creates an import whose rows are still to be uploaded. */
export function beginImport(ctx: Ctx, dryRun: boolean): Promise<ImportId> {
  return transaction(ctx, async (tx) => {
    const id = newId('imp', tx.now);
    await tx.db
      .insertInto('member_imports')
      .values({
        ...scopeColumns(tx),
        id,
        status: 'receiving',
        dry_run: dryRun,
        actor: JSON.stringify(tx.actor),
        created_at: tx.now,
      })
      .execute();
    return id;
  });
}

/** A block of rows of an import, as uploaded. */
export type Chunk = { number: number; firstRow: number; lines: readonly string[] };

export async function storeChunk(ctx: Ctx, id: ImportId, { number, firstRow, lines }: Chunk): Promise<void> {
  await transaction(ctx, (tx) =>
    tx.db
      .insertInto('member_import_chunks')
      .values({
        ...scopeColumns(tx),
        import_id: id,
        number,
        first_row: firstRow,
        rows: lines.length,
        content: lines.join('\n'),
      })
      .execute(),
  );
}

/** The number of jobs that share an import: while some wait for the database, another parses rows. */
const LANES = 3;

/** Queues a completely uploaded import for processing, independent of this process. */
export function queueImport(
  ctx: Ctx,
  id: ImportId,
  received: { bytes: number; rows: number; chunks: number },
): Promise<MemberImport> {
  return transaction(ctx, async (tx) => {
    const row = await update(tx, id)
      .set({ ...received, status: 'queued' })
      .returningAll()
      .executeTakeFirstOrThrow();
    await emit(tx, 'membership.import.started', { importId: id, dryRun: row.dry_run });
    for (let lane = 0; lane < LANES; lane += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: a few, on one connection
      await addJob(tx, 'import_members', { ...tx.scope, importId: id }, { priority: 10 });
    }
    return recordOf(row);
  });
}

/** Deletes an import that was not uploaded completely. */
export async function dropImport(ctx: Ctx, id: ImportId): Promise<void> {
  await transaction(ctx, (tx) => tx.db.deleteFrom('member_imports').where(inScope(tx)).where('id', '=', id).execute());
}

/** A chunk of an import to be processed. */
export type ClaimedChunk = { number: number; firstRow: number; lines: string[]; dryRun: boolean; actor: Actor };

/**
 * Claims the next chunk for this transaction; other jobs skip it. Served by member_import_chunks_waiting.
 * @returns undefined when none is waiting
 */
export async function claimChunk(tx: TxCtx, id: ImportId): Promise<ClaimedChunk | undefined> {
  const chunk = await tx.db
    .selectFrom('member_import_chunks')
    .select(['number', 'first_row', 'content'])
    .where(inScope(tx))
    .where('import_id', '=', id)
    .where('content', 'is not', null)
    .orderBy('number')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!chunk) return undefined;
  const row = await tx.db
    .selectFrom('member_imports')
    .selectAll()
    .where(inScope(tx))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const lines = (chunk.content ?? '').split('\n');
  return { number: chunk.number, firstRow: chunk.first_row, lines, dryRun: row.dry_run, actor: row.actor };
}

/** The result of a row. */
export type RowResult = { row: number; outcome: Outcome; errors: Static<typeof Faults> };

/** Stores the results of claimed rows and deletes their content; after the last chunk the import is complete. */
export async function finishChunk(
  tx: TxCtx,
  id: ImportId,
  number: number,
  results: readonly RowResult[],
): Promise<void> {
  const count = (outcome: Outcome) => results.filter((result) => result.outcome === outcome).length;
  const faults = results.flatMap(({ row, errors }) => (errors.length > 0 ? [{ row, errors }] : []));
  await tx.db
    .updateTable('member_import_chunks')
    .set({
      content: null,
      outcomes: results.map(({ outcome }) => outcome.charAt(0)).join(''),
      failed: count('failed'),
      faults: JSON.stringify(faults),
    })
    .where(inScope(tx))
    .where('import_id', '=', id)
    .where('number', '=', number)
    .execute();
  const row = await update(tx, id)
    .set({
      chunks_done: sql`chunks_done + 1`,
      created: sql`created + ${count('created')}`,
      joined: sql`joined + ${count('joined')}`,
      unchanged: sql`unchanged + ${count('unchanged')}`,
      failed: sql`failed + ${count('failed')}`,
      started_at: sql`coalesce(started_at, ${tx.now})`,
      finished_at: sql`case when chunks_done + 1 = chunks then ${tx.now}::timestamptz end`,
      status: sql`case when chunks_done + 1 = chunks then 'completed' else 'running' end`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  if (row.status !== 'completed') return;
  if (row.dry_run) await removeWouldBeMembers(tx, id);
  const { dryRun, created, joined, unchanged, failed } = recordOf(row);
  await emit(tx, 'membership.import.completed', { importId: id, dryRun, created, joined, unchanged, failed });
}

function update(tx: TxCtx, id: ImportId) {
  return tx.db.updateTable('member_imports').where(inScope(tx)).where('id', '=', id);
}

const DAY_MS = 86_400_000;

/** Deletes imports that were not uploaded completely after a day, and the reports of the others after thirty days. */
export async function removeOldImports(system: System): Promise<void> {
  const now = system.clock.now().getTime();
  await sql`delete from member_imports where (status = 'receiving' and created_at < ${new Date(now - DAY_MS)})
    or (status = 'completed' and created_at < ${new Date(now - 30 * DAY_MS)}) /* all workspaces */`.execute(
    singleWrite(system, 'clean-up'),
  );
}
