import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import { type Id, IdSchema, newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { findStream, type StreamId } from './streams.ts';
import type { Fault } from './verdicts.ts';

type LogStreamFaultsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  stream_id: StreamId;
  id: Id<'lgf'>;
  refused: boolean;
  first_sequence: number;
  last_sequence: number;
  status_code: number | null;
  error: string;
  response_snippet: string | null;
  occurred_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    log_stream_faults: LogStreamFaultsTable;
  }
}

export const StreamFault = Type.Object(
  {
    id: IdSchema('lgf'),
    occurredAt: Instant,
    outcome: Type.Enum(['retrying', 'skipped'], {
      description:
        '`retrying`: the entries are sent again. `skipped`: the destination refused these entries and accepted others.',
    }),
    firstSequence: Type.Integer({ description: 'The sequence of the first entry concerned.' }),
    lastSequence: Type.Integer({ description: 'The sequence of the last entry concerned.' }),
    statusCode: nullable(Type.Integer()),
    error: Type.String(),
    responseSnippet: Type.Union([Type.String(), Type.Null()], {
      description: 'The beginning of the response, without credentials.',
    }),
  },
  { title: 'LogStreamFault' },
);

/** How many faults of each outcome a stream keeps. They are counted apart, so that an outage displaces no skipped entry. */
const MAX_FAULTS = 100;

/** `refused`: the entries were skipped. */
export type NewFault = { first: number; last: number; refused: boolean; fault: Fault };

export async function insertFaults(tx: TxCtx, streamId: StreamId, faults: readonly NewFault[]): Promise<void> {
  if (faults.length === 0) return;
  await tx.db
    .insertInto('log_stream_faults')
    .values(
      faults.map(({ first, last, refused, fault }) => ({
        ...scopeColumns(tx),
        stream_id: streamId,
        id: newId('lgf', tx.now),
        refused,
        first_sequence: first,
        last_sequence: last,
        status_code: fault.statusCode,
        error: fault.error,
        response_snippet: fault.responseSnippet,
        occurred_at: tx.now,
      })),
    )
    .execute();
  await tx.db
    .deleteFrom('log_stream_faults')
    .where(inScope(tx))
    .where('stream_id', '=', streamId)
    .where('id', 'in', (db) =>
      db
        .selectFrom(
          db
            .selectFrom('log_stream_faults')
            .select(['id', sql<number>`row_number() over (partition by refused order by id desc)`.as('place')])
            .where(inScope(tx))
            .where('stream_id', '=', streamId)
            .as('ranked'),
        )
        .select('id')
        .where('place', '>', MAX_FAULTS),
    )
    .execute();
}

/**
 * The last faults of a stream, newest first. Served by the primary key.
 * @throws Problem NOT_FOUND
 */
export async function listFaults(
  ctx: Ctx,
  id: StreamId,
  { limit, cursor }: Static<typeof PageQuery>,
): Promise<Page<Static<typeof StreamFault>>> {
  await findStream(ctx, id);
  const rows = ctx.db.selectFrom('log_stream_faults').selectAll().where(inScope(ctx)).where('stream_id', '=', id);
  const page = await newestFirst(ctx, rows, { list: `log-stream-faults ${id}`, limit, cursor });
  const items = page.rows.map((row) => ({
    id: row.id,
    occurredAt: row.occurred_at.toISOString(),
    outcome: row.refused ? ('skipped' as const) : ('retrying' as const),
    firstSequence: row.first_sequence,
    lastSequence: row.last_sequence,
    statusCode: row.status_code,
    error: row.error,
    responseSnippet: row.response_snippet,
  }));
  return { items, nextCursor: page.nextCursor };
}
