import { type RawBuilder, sql } from 'kysely';
import { type TxCtx, transaction } from '#platform/ctx.ts';
import type { Keyring } from '#platform/keyring.ts';
import { type SealedColumn, sealedPlaces } from '#platform/sealed.ts';
import type { System } from '#platform/system.ts';
import { dataKeyCtx } from './data-keys.ts';

/** A column of sealed values, and what they are sealed for. */
type Place = SealedColumn & { purpose: string };

/** The columns of the program that hold sealed values. */
export function placesOf({ parts }: Pick<System, 'parts'>): Place[] {
  return sealedPlaces(parts).flatMap(([purpose, place]) => (place === 'browsers' ? [] : [{ ...place, purpose }]));
}

/** How many rows hold values of each key, by the key's id. */
export async function rowsByKey(system: System): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const place of placesOf(system)) {
    // biome-ignore lint/performance/noAwaitInLoops: one scan after the other
    const { rows } = await sql<{ key: string; count: number }>`
      select substring(${textOf(place)} from ${SEALED}) as key, count(*) as count
      from ${sql.table(place.table)} where ${textOf(place)} ~ ${SEALED} group by 1 /* all workspaces */`.execute(
      system.db,
    );
    for (const { key, count } of rows) counts.set(key, (counts.get(key) ?? 0) + count);
  }
  return counts;
}

/** Blocks of a table per transaction: a few thousand rows, which are locked for a moment. */
const BLOCKS = 64;
/** How long to wait for rows that other transactions hold before the next attempt. */
const PAUSE_MS = 250;

/** The rows that were sealed again, and the values that no key opens. */
export type SealedAgain = { rows: number; unreadable: string[] };

/**
 * Seals all values of a column with the active key, in batches. Rows that others hold are left for the next pass.
 * @param advance receives the number of rows of each batch
 */
export async function sealColumnAgain(
  system: System,
  place: Place,
  advance: (rows: number) => void,
): Promise<SealedAgain> {
  let rows = 0;
  for (;;) {
    // biome-ignore lint/performance/noAwaitInLoops: one pass after the other
    const pass = await sealOnce(system, place, advance);
    rows += pass.rows;
    const left = await countLeft(system, place);
    if (left <= pass.unreadable.length) return { rows, unreadable: pass.unreadable };
    if (pass.rows === 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function sealOnce(system: System, place: Place, advance: (rows: number) => void): Promise<SealedAgain> {
  const done: SealedAgain = { rows: 0, unreadable: [] };
  const blocks = await blocksOf(system, place);
  for (let first = 0; first < blocks; first += BLOCKS) {
    // biome-ignore lint/performance/noAwaitInLoops: one batch after the other
    const batch = await transaction(dataKeyCtx(system), (tx) => sealBlocks(tx, place, first));
    done.rows += batch.rows;
    done.unreadable.push(...batch.unreadable);
    advance(batch.rows);
  }
  return done;
}

async function blocksOf({ db }: System, { table }: Place): Promise<number> {
  const { rows } = await sql<{ blocks: number }>`
    select pg_relation_size(${table}::regclass) / current_setting('block_size')::integer as blocks`.execute(db);
  return rows[0]?.blocks ?? 0;
}

async function countLeft(system: System, place: Place): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select count(*) as left from ${sql.table(place.table)}
    where ${textOf(place)} ~ ${sealedExceptBy(system.keyring)} /* all workspaces */`.execute(system.db);
  return rows[0]?.left ?? 0;
}

type Row = { place: string; record: string; content: string };

async function sealBlocks(tx: TxCtx, place: Place, first: number): Promise<SealedAgain> {
  const { rows } = await sql<Row>`
    select ctid::text as place, ${place.record} as record, ${sql.ref(place.column)}::text as content from ${sql.table(place.table)}
    where ctid >= ${`(${first},0)`}::tid and ctid < ${`(${first + BLOCKS},0)`}::tid
      and ${textOf(place)} ~ ${sealedExceptBy(tx.system.keyring)}
    for update skip locked /* all workspaces */`.execute(tx.db);
  const unreadable: string[] = [];
  const fresh: { place: string; content: string }[] = [];
  for (const row of rows)
    try {
      fresh.push({ place: row.place, content: sealContent(tx, place, row) });
    } catch {
      unreadable.push(`${place.table}.${place.column} of ${row.record}`);
    }
  if (fresh.length > 0) await update(tx, place, fresh);
  return { rows: fresh.length, unreadable };
}

/** @throws Error for a value that no key opens */
function sealContent({ system }: TxCtx, { purpose, json }: Place, { record, content }: Row): string {
  const again = (sealed: string) => system.keyring.sealAgain(sealed, purpose, record);
  return json ? JSON.stringify(json.again(JSON.parse(content), again)) : again(content);
}

async function update(tx: TxCtx, place: Place, fresh: readonly { place: string; content: string }[]): Promise<void> {
  const column = sql.ref(place.column);
  const type: RawBuilder<unknown> = place.json ? sql`jsonb` : sql`text`;
  await sql`
    update ${sql.table(place.table)} set ${column} = fresh.content::${type}
    from unnest(${fresh.map((row) => row.place)}::text[], ${fresh.map((row) => row.content)}::text[]) as fresh (place, content)
    where ${sql.table(place.table)}.ctid = fresh.place::tid /* all workspaces */`.execute(tx.db);
}

/** The text of a row that holds its sealed values. */
function textOf({ column, json }: Place): RawBuilder<string> {
  return json?.text ?? sql.ref(column);
}

/** A regular expression for text with a sealed value; its group is the id of the key. */
const SEALED = '(?:^|")k1\\.([0-9a-f]{8})\\.';

/** A regular expression for text that holds a value sealed with another key than the active one. */
function sealedExceptBy({ keyIds: [activeId = ''] }: Keyring): string {
  return `(?:^|")k1\\.(?!${activeId})[0-9a-f]{8}\\.`;
}
