import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type Static, Type } from 'typebox';

/** The entry of a backup that describes its content. */
export const MANIFEST = 'manifest.json';

/** The rows of one table in the text format of PostgreSQL's COPY. */
const TableContent = Type.Object({
  name: Type.String({ pattern: '^[a-z_]+\\.[a-z_]+$' }),
  columns: Type.Array(Type.String({ pattern: '^[a-z_0-9]+$' })),
  rows: Type.Integer({ minimum: 0 }),
  sha256: Type.String(),
});
export type TableContent = Static<typeof TableContent>;

export const Manifest = Type.Object({
  format: Type.Literal(1),
  latchkey: Type.String(),
  createdAt: Type.String(),
  /** The last applied migration of the database. */
  schema: Type.Integer(),
  /** The ids of the secrets that decrypt its sealed values. The secrets themselves are not in a backup. */
  secretIds: Type.Array(Type.String()),
  tables: Type.Array(TableContent),
  sequences: Type.Array(Type.Object({ name: Type.String(), value: Type.Union([Type.String(), Type.Null()]) })),
});
export type Manifest = Static<typeof Manifest>;

/** A table and its columns that can be copied. */
export type TableShape = { name: string; columns: string[]; estimate: number };

/**
 * The tables of the installation and its job queue, referenced tables first; without the records of migrations and
 * without computed columns.
 * @throws Error for circular references
 */
export async function tablesOf(client: pg.ClientBase): Promise<TableShape[]> {
  const { rows } = await client.query<TableShape & { refers_to: string[] }>(`
    select n.nspname || '.' || c.relname as name, greatest(c.reltuples, 0)::float8 as estimate,
      array(select attname::text from pg_attribute a
        where a.attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
      array(select distinct fn.nspname || '.' || fc.relname from pg_constraint k
        join pg_class fc on fc.oid = k.confrelid join pg_namespace fn on fn.oid = fc.relnamespace
        where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as refers_to
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ('public', 'graphile_worker') and c.relname not in ('applied_migrations', 'schema_migrations', 'migrations')
    order by name`);
  const left = new Map(rows.map((table) => [table.name, table]));
  const sorted: TableShape[] = [];
  while (left.size > 0) {
    const free = [...left.values()].filter(({ refers_to }) => !refers_to.some((name) => left.has(name)));
    if (free.length === 0)
      throw new Error(`These tables refer to each other in a circle: ${[...left.keys()].join(', ')}`);
    for (const { refers_to: _, ...table } of free) {
      left.delete(table.name);
      sorted.push(table);
    }
  }
  return sorted;
}

/** Reports how many rows are done. */
export type Progress = { advance: (count: number) => void; end: () => void };
/** @param total the expected number of rows */
export type ShowProgress = (what: string, total: number) => Progress;

/**
 * Values have the same text on every server, whatever its settings, and rows come in the order in which they are
 * stored.
 */
export async function prepareCopying(client: pg.ClientBase): Promise<void> {
  await client.query(
    `set datestyle = 'ISO, MDY'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set extra_float_digits = 1;
     set bytea_output = 'hex'; set synchronize_seqscans = off`,
  );
}

/** The COPY command of a table, in either direction. */
export function copyStatement(
  { name, columns }: Pick<TableShape, 'name' | 'columns'>,
  direction: 'to stdout' | 'from stdin',
) {
  return `copy ${name} (${columns.map((column) => `"${column}"`).join(', ')}) ${direction}`;
}

/**
 * Copies rows of the database into an entry of an archive.
 * @param fail is called if not all rows arrive: the archive would wait for the rest
 */
export function copyInto(
  entry: Transform,
  client: pg.Client,
  { statement, fail }: { statement: string; fail: (error: Error) => void },
): void {
  const rows = client.query(copyTo(statement));
  // The connection may also be lost when all rows have arrived; then the next statement fails.
  rows.on('error', () => undefined);
  entry.once('error', fail);
  pipeline(rows, entry).catch(() => undefined);
}

/** Passes rows through, and counts and hashes them on the way. */
export class RowMeter extends Transform {
  rows = 0;
  readonly #hash = createHash('sha256');
  readonly #advance: (rows: number) => void;

  constructor(advance: (rows: number) => void) {
    super();
    this.#advance = advance;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    let lines = 0;
    // In COPY's text format a line feed always ends a row.
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
    this.rows += lines;
    this.#hash.update(chunk);
    this.#advance(lines);
    done(null, chunk);
  }

  /** Call it once, at the end. */
  fingerprint(): string {
    return this.#hash.digest('hex');
  }
}
