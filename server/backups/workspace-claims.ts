import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { StartError } from '#platform/start-error.ts';
import { type CarriedTable, quoted } from './workspace-tables.ts';

/** A unique index whose values are unique in the whole installation, not within a workspace. */
type GlobalIndex = { table: string; columns: string[]; predicate: string | null };

async function globalIndexes(client: pg.ClientBase): Promise<GlobalIndex[]> {
  const { rows } = await client.query<GlobalIndex>(`
    select c.relname as table, pg_get_expr(i.indpred, i.indrelid) as predicate,
      array(select a.attname::text from unnest(i.indkey) with ordinality k (attnum, position)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum order by k.position) as columns
    from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
    where i.indisunique and i.indexprs is null and n.nspname = 'public'
      and not exists (select from pg_attribute a
        where a.attrelid = i.indrelid and a.attname = 'workspace_id' and a.attnum = any(i.indkey))`);
  return rows;
}

/** Copies the rows of a table in the file, as they are for the table. */
export type CopyOf = (table: CarriedTable) => Promise<NodeJS.ReadableStream | null>;

const SHOWN = 3;

/**
 * Finds what another workspace of the installation has already, before anything of the file is written: the workspace itself, its
 * routing key, client ids, verified domains, and whatever else is unique in an installation.
 * @throws StartError naming it
 */
export async function checkClaims(
  client: pg.ClientBase,
  tables: readonly CarriedTable[],
  rowsOf: CopyOf,
): Promise<void> {
  const indexes = Map.groupBy(await globalIndexes(client), ({ table }) => table);
  // The workspace itself first: it says why everything else is there, too.
  const isFirst = ({ name }: CarriedTable) =>
    Number(indexes.get(name)?.some(({ columns }) => columns.join() === 'id') ?? false);
  for (const table of tables.toSorted((a, b) => isFirst(b) - isFirst(a))) {
    const own = indexes.get(table.name);
    // biome-ignore lint/performance/noAwaitInLoops: one connection
    if (own) await checkTable(client, { table, own, rowsOf });
  }
}

async function checkTable(
  client: pg.ClientBase,
  { table, own, rowsOf }: { table: CarriedTable; own: readonly GlobalIndex[]; rowsOf: CopyOf },
): Promise<void> {
  const rows = await rowsOf(table);
  if (rows === null) return;
  const [staged, stored] = [`pg_temp.${quoted(`claims_${table.name}`)}`, `public.${quoted(table.name)}`];
  const columns = table.columns.map(quoted).join(', ');
  await client.query(
    `create temp table ${quoted(`claims_${table.name}`)} as select ${columns} from ${stored} with no data`,
  );
  await pipeline(rows, client.query(copyFrom(`copy ${staged} (${columns}) from stdin`)));
  for (const index of own) {
    const where = index.predicate === null ? '' : `where ${index.predicate}`;
    const same = index.columns.map((column) => `t.${quoted(column)} = c.${quoted(column)}`).join(' and ');
    const shown = index.columns.map((column) => `c.${quoted(column)}::text`).join(` || ' ' || `);
    // biome-ignore lint/performance/noAwaitInLoops: one connection
    const { rows: taken } = await client.query<{ value: string }>(
      `select ${shown} as value from (select * from ${staged} ${where}) c
       where exists (select from (select * from ${stored} ${where}) t where ${same}) limit ${SHOWN}`,
    );
    if (taken.length > 0)
      throw new StartError(
        refusal(
          index,
          taken.map(({ value }) => value),
        ),
      );
  }
  await client.query(`drop table ${staged}`);
}

function refusal({ table, columns }: GlobalIndex, values: readonly string[]): string {
  if (columns.join() === 'id')
    return `The workspace ${values.join(', ')} is in this installation already. Nothing was imported.`;
  return `Another workspace of this installation has the same ${columns.join(' and ')} in ${table}: ${values.join(', ')}. Nothing was imported.`;
}
