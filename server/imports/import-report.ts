import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import type { Ctx } from '#platform/ctx.ts';
import { openCursor, PageQuery, pageOf } from '#platform/page.ts';
import { inScope } from '#platform/scoped.ts';
import { type Fault, Faults, getImport, type ImportId, MemberImport, Outcome, type RowResult } from './imports.ts';

/** An import with a page of the results of its rows. */
export const ImportReport = Type.Object({
  ...MemberImport.properties,
  report: Type.Array(Type.Object({ row: Type.Integer(), outcome: Outcome, errors: Faults }), {
    description: 'The results of the processed rows, in file order. Rows are counted from 1.',
  }),
  nextCursor: Type.Union([Type.String(), Type.Null()], {
    description: 'Null at the end of the rows processed so far.',
  }),
});

export const ReportQuery = Type.Object({
  ...PageQuery.properties,
  outcome: Type.Optional(Type.Enum(['failed'], { description: 'Only rows that were not imported.' })),
});

const LETTERS = new Map(Outcome.enum.map((outcome) => [outcome.charAt(0), outcome]));

/**
 * An import with the results of its rows. Served by primary keys and member_import_chunks_failed.
 * @throws Problem NOT_FOUND, INVALID_CURSOR
 */
export async function reportImport(ctx: Ctx, id: ImportId, query: Static<typeof ReportQuery>) {
  const { limit, cursor, outcome } = query;
  const failedOnly = outcome !== undefined;
  const found = await getImport(ctx, id);
  const list = JSON.stringify(['import', id, outcome]);
  const after = cursor === undefined ? 0 : Number(openCursor(ctx, list, cursor));
  const rows: RowResult[] = [];
  for (const chunk of await chunksAfter(ctx, id, { after, failedOnly, limit: limit + 1 })) {
    rows.push(...rowsOfChunk(chunk, { after, failedOnly }));
    if (rows.length > limit) break;
  }
  const page = pageOf(ctx, rows, { list, limit, keyOf: ({ row }) => String(row) });
  return { ...found, report: page.rows, nextCursor: page.nextCursor };
}

type Wanted = { after: number; failedOnly: boolean };

/** Finished chunks that end after a row; each contains a requested row. */
function chunksAfter(ctx: Ctx, id: ImportId, { after, failedOnly, limit }: Wanted & { limit: number }) {
  const chunks = ctx.db
    .selectFrom('member_import_chunks')
    .select(['first_row', 'rows', 'outcomes', 'faults'])
    .where(inScope(ctx))
    .where('import_id', '=', id)
    .where('outcomes', 'is not', null)
    .where(sql<boolean>`first_row + rows > ${after + 1}`)
    .orderBy('number')
    .limit(limit);
  return (failedOnly ? chunks.where('failed', '>', 0) : chunks).execute();
}

type Reported = { first_row: number; outcomes: string | null; faults: Fault[] };

function rowsOfChunk(chunk: Reported, { after, failedOnly }: Wanted): RowResult[] {
  const errors = new Map(chunk.faults.map((fault) => [fault.row, fault.errors]));
  return [...(chunk.outcomes ?? '')].flatMap((letter, index) => {
    const row = chunk.first_row + index;
    const outcome = LETTERS.get(letter) ?? 'failed';
    if (row <= after || (failedOnly && outcome !== 'failed')) return [];
    return [{ row, outcome, errors: errors.get(row) ?? [] }];
  });
}

/** Chunks per read, each of up to a thousand rows. */
const BATCH = 10;

/**
 * The failed rows of an import as CSV: a line for each reason. The rows themselves are not kept. Read in batches, so
 * memory stays flat. Served by member_import_chunks_failed.
 */
export async function* failedRows(ctx: Ctx, id: ImportId): AsyncGenerator<string> {
  yield 'row,field,reason\r\n';
  for (let after = 0; ; ) {
    // biome-ignore lint/performance/noAwaitInLoops: batches follow one another
    const chunks = await chunksAfter(ctx, id, { after, failedOnly: true, limit: BATCH });
    const last = chunks.at(-1);
    if (!last) return;
    yield chunks.flatMap(({ faults }) => faults.flatMap(linesOf)).join('');
    after = last.first_row + last.rows - 1;
  }
}

function linesOf({ row, errors }: Fault): string[] {
  return errors.map(({ pointer, message }) => `${row},${quoted(pointer.slice(1))},${quoted(message)}\r\n`);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
