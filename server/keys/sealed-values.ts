import { type RawBuilder, sql } from 'kysely';
import { type TxCtx, transaction } from '#platform/ctx.ts';
import type { Keyring } from '#platform/keyring.ts';
import { type KeyColumn, primaryKeyOf } from '#platform/primary-keys.ts';
import { type Place, SEALED, sealedColumns, sealedText } from '#platform/sealed.ts';
import type { System } from '#platform/system.ts';
import { dataKeyCtx } from './data-keys.ts';

/** How many rows hold values of each key, by the key's id. */
export async function rowsByKey(system: System): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const place of sealedColumns(system.parts)) {
    // biome-ignore lint/performance/noAwaitInLoops: one scan after the other
    const { rows } = await sql<{ key: string; count: number }>`
      select substring(${sealedText(place)} from ${SEALED}) as key, count(*) as count
      from ${sql.table(place.table)} where ${sealedText(place)} ~ ${SEALED} group by 1 /* all workspaces */`.execute(
      system.db,
    );
    for (const { key, count } of rows) counts.set(key, (counts.get(key) ?? 0) + count);
  }
  return counts;
}

/** Rows per transaction. */
const ROWS = 500;
/** How long to wait before rows that others changed meanwhile are read again. */
const PAUSE_MS = 250;

/** The rows that were sealed again, and the values that no key opens. */
export type SealedAgain = { rows: number; unreadable: string[] };

/**
 * Seals all values of a column with the active key, in batches. Rows that others change meanwhile are left for the next
 * pass.
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
  const key = await primaryKeyOf(system, place.table);
  for (let position: string[] | null = null; ; ) {
    // biome-ignore lint/performance/noAwaitInLoops: one batch after the other
    const found: Row[] = await rowsAfter(system, place, { key, position });
    const batch = await sealRows(system, place, { key, found });
    done.rows += batch.rows;
    done.unreadable.push(...batch.unreadable);
    advance(batch.rows);
    position = found.at(-1)?.keys ?? null;
    if (found.length < ROWS) return done;
  }
}

async function countLeft(system: System, place: Place): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select count(*) as left from ${sql.table(place.table)}
    where ${sealedText(place)} ~ ${sealedExceptBy(system.keyring)} /* all workspaces */`.execute(system.db);
  return rows[0]?.left ?? 0;
}

type Row = { keys: string[]; record: string; content: string };
type Key = readonly KeyColumn[];

/** The next rows with a value of another key than the active one, in the order of the primary key. */
async function rowsAfter(
  { db, keyring }: System,
  place: Place,
  { key, position }: { key: Key; position: readonly string[] | null },
): Promise<Row[]> {
  const columns = sql.join(key.map(({ column }) => sql.ref(column)));
  const { rows } = await sql<Row>`
    select array[${sql.join(key.map(asText))}] as keys, ${place.record} as record, ${sql.ref(place.column)}::text as content
    from ${sql.table(place.table)}
    where ${position === null ? sql`true` : sql`(${columns}) > (${sql.join(key.map(({ type }, index) => sql`${position[index]}::text::${sql.raw(type)}`))})`}
      and ${sealedText(place)} ~ ${sealedExceptBy(keyring)}
    order by ${columns} limit ${ROWS} /* all workspaces */`.execute(db);
  return rows;
}

/** The rows of one workspace are in one place, so each workspace is a statement. */
function sealRows(system: System, place: Place, { key, found }: { key: Key; found: Row[] }): Promise<SealedAgain> {
  const unreadable: string[] = [];
  const fresh = found.flatMap((row) => {
    try {
      return [{ ...row, sealed: sealContent(system, place, row) }];
    } catch {
      unreadable.push(`${place.table}.${place.column} of ${row.record}`);
      return [];
    }
  });
  const ofWorkspace = key.findIndex(({ column }) => column === 'workspace_id');
  const groups = Map.groupBy(fresh, ({ keys }) => keys[ofWorkspace] ?? '');
  return transaction(dataKeyCtx(system), async (tx) => {
    let rows = 0;
    for (const theirs of groups.values()) {
      // biome-ignore lint/performance/noAwaitInLoops: one connection
      rows += await update(tx, place, { key, rows: theirs });
    }
    return { rows, unreadable };
  });
}

/** @throws Error for a value that no key opens */
function sealContent(system: System, { purpose, json }: Place, { record, content }: Row): string {
  const again = (sealed: string) => system.keyring.sealAgain(sealed, purpose, record);
  return json ? JSON.stringify(json.again(JSON.parse(content), again)) : again(content);
}

/** Leaves rows alone whose value has changed since it was read. */
async function update(
  tx: TxCtx,
  place: Place,
  { key, rows }: { key: Key; rows: readonly (Row & { sealed: string })[] },
): Promise<number> {
  const [table, column] = [sql.table(place.table), sql.ref(`${place.table}.${place.column}`)];
  const type: RawBuilder<unknown> = place.json ? sql`jsonb` : sql`text`;
  const [workspaceId] = rows.flatMap(({ keys }) => keys.filter((_, index) => key[index]?.column === 'workspace_id'));
  const lists = [
    ...key.map((_, index) => rows.map(({ keys }) => keys[index] ?? '')),
    rows.map(({ content }) => content),
    rows.map(({ sealed }) => sealed),
  ].map((list) => sql`${list}::text[]`);
  const names = sql.join([...key.map((_, index) => sql.ref(`key_${index}`)), sql.ref('content'), sql.ref('sealed')]);
  const same = key.map(
    ({ column: name, type: kind }, index) =>
      sql`${sql.ref(`${place.table}.${name}`)} = ${sql.ref(`fresh.key_${index}`)}::${sql.raw(kind)}`,
  );
  const { numAffectedRows } = await sql`
    update ${table} set ${sql.ref(place.column)} = fresh.sealed::${type}
    from unnest(${sql.join(lists)}) as fresh (${names})
    where ${workspaceId === undefined ? sql`true` : sql`${sql.ref(`${place.table}.workspace_id`)} = ${workspaceId}`}
      and ${sql.join(same, sql` and `)} and ${column}::text = fresh.content /* all workspaces */`.execute(tx.db);
  return Number(numAffectedRows ?? 0n);
}

/** A column of a primary key as text that can be read back. */
function asText({ column }: KeyColumn): RawBuilder<string> {
  return sql`${sql.ref(column)}::text`;
}

/** A regular expression for text that holds a value sealed with another key than the active one. */
function sealedExceptBy({ keyIds: [activeId = ''] }: Keyring): string {
  return `(?:^|")k1\\.(?!${activeId})[0-9a-f]{8}\\.`;
}
