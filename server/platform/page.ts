import { type SelectQueryBuilder, sql } from 'kysely';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { TxCtx } from './ctx.ts';
import { problem } from './problem.ts';

const TAG_BYTES = 16;

type Where = Pick<TxCtx, 'scope' | 'system'>;

/** The query parameters of every list; merge a list's own filters with `Type.Interface([PageQuery], …)`. */
export const PageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Records per page.' }),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1024, description: '`nextCursor` of the page before; opaque.' }),
  ),
});

/** The response of a list. */
export function PageOf<Item extends TSchema>(
  item: Item,
): TObject<{ items: ReturnType<typeof Type.Array<Item>>; nextCursor: ReturnType<typeof NextCursor> }> {
  return Type.Object({ items: Type.Array(item), nextCursor: NextCursor() });
}

function NextCursor() {
  return Type.Union([Type.String(), Type.Null()], { description: 'Null at the end.' });
}

export type Page<T> = { items: T[]; nextCursor: string | null };

/**
 * Builds a page from `limit + 1` rows.
 * @param list names the list and its filters; the cursor is invalid for any other
 * @param keyOf the keyset position of a row
 */
export function pageOf<Row>(
  ctx: Where,
  rows: Row[],
  page: { list: string; limit: number; keyOf: (row: Row) => string },
): { rows: Row[]; nextCursor: string | null } {
  const items = rows.slice(0, page.limit);
  const last = items.at(-1);
  const more = rows.length > page.limit && last !== undefined;
  return { rows: items, nextCursor: more ? sealCursor(ctx, page.list, page.keyOf(last)) : null };
}

/**
 * Reads a page of records in descending order of their ids, by keyset: the newest first.
 * @param page.list names the list and its filters; the cursor is invalid for any other
 * @param page.by the column of the id, where a join has several
 * @throws Problem INVALID_CURSOR
 */
export async function newestFirst<Db, Table extends keyof Db, Row extends { id: string }>(
  ctx: Where,
  query: SelectQueryBuilder<Db, Table, Row>,
  { list, limit, cursor, by = 'id' }: { list: string; limit: number; cursor: string | undefined; by?: string },
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const id = sql.ref<string>(by);
  const rest = cursor === undefined ? query : query.where(sql<boolean>`${id} < ${openCursor(ctx, list, cursor)}`);
  const rows = await rest
    .orderBy(id, 'desc')
    .limit(limit + 1)
    .execute();
  return pageOf(ctx, rows, { list, limit, keyOf: ({ id }) => id });
}

/** Where a record stands in its list: the first difference decides. */
type Position = readonly (string | number)[];

/**
 * Builds a page of a list that is short enough to be read whole. The next page starts behind the position of the last
 * record, so no record is skipped or repeated when others are deleted or added in between.
 * @param page.positionOf a position that no other record of the list has; the list is sorted by it
 * @param page.descending whether larger positions come first
 * @throws Problem INVALID_CURSOR
 */
export function pageOfWhole<Row>(
  ctx: Where,
  all: readonly Row[],
  page: {
    list: string;
    query: Static<typeof PageQuery>;
    positionOf: (row: Row, index: number) => Position;
    descending?: boolean;
  },
): Page<Row> {
  const { limit, cursor } = page.query;
  // Cursors of version 0.1.0 had the name of the list alone and contain no position.
  const list = `${page.list} by position`;
  const after: Position | undefined = cursor === undefined ? undefined : JSON.parse(openCursor(ctx, list, cursor));
  const order = page.descending ? (a: Position, b: Position) => compare(b, a) : compare;
  const rest = all
    .map((row, index) => ({ row, position: page.positionOf(row, index) }))
    .filter(({ position }) => after === undefined || order(position, after) > 0)
    .sort((a, b) => order(a.position, b.position));
  const keyOf = ({ position }: { position: Position }) => JSON.stringify(position);
  const cut = pageOf(ctx, rest, { list, limit, keyOf });
  return { items: cut.rows.map(({ row }) => row), nextCursor: cut.nextCursor };
}

function compare(a: Position, b: Position): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  const [left, right] = [a[at], b[at]];
  if (left === undefined || right === undefined) return 0;
  return left < right ? -1 : 1;
}

/** A position in a list, signed for this scope and list (BI-2). */
export function sealCursor(ctx: Where, list: string, position: string): string {
  return Buffer.concat([cursorTag(ctx, list, position), Buffer.from(position)]).toString('base64url');
}

/**
 * Verifies a cursor. Only for lists that {@link newestFirst} cannot read: in another order, from several statements, or
 * from memory.
 * @returns its position
 * @throws Problem INVALID_CURSOR if it is forged, or belongs to another list, filter or scope
 */
export function openCursor(ctx: Where, list: string, cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(TAG_BYTES).toString('utf8');
  if (!cursorTag(ctx, list, position).equals(bytes.subarray(0, TAG_BYTES))) throw problem('INVALID_CURSOR');
  return position;
}

function cursorTag(ctx: Where, list: string, position: string): Buffer {
  const { workspaceId, projectId, environment } = ctx.scope;
  return ctx.system.keyring
    .tag(JSON.stringify([workspaceId, projectId, environment, list, position]), 'cursor')
    .subarray(0, TAG_BYTES);
}
