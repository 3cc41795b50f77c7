import { sql } from 'kysely';
import type { ReadDb } from './db.ts';

/** A column of a primary key, with the name of its type. */
export type KeyColumn = { column: string; type: string };

/** The columns of the primary key of a table, in their order. */
export async function primaryKeyOf({ db }: { db: ReadDb }, table: string): Promise<KeyColumn[]> {
  const { rows } = await sql<KeyColumn>`
    select a.attname as column, format_type(a.atttypid, a.atttypmod) as type
    from pg_index i cross join unnest(i.indkey) with ordinality as part (number, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = part.number
    where i.indrelid = ${table}::regclass and i.indisprimary order by part.place`.execute(db);
  return rows;
}
