import { type RawBuilder, sql } from 'kysely';
import type { Tables } from './db.ts';
import type { Part } from './part.ts';

/** A column that holds sealed values. */
export type SealedColumn = {
  table: keyof Tables;
  column: string;
  /** The record that a row's value is bound to, in SQL. */
  record: RawBuilder<unknown>;
  /** For a column of JSON. */
  json?: {
    /** The part that holds sealed values and nothing that others choose, as text in SQL. */
    text: RawBuilder<string>;
    /** The same content, with each sealed value in it sealed again. */
    again: (content: unknown, seal: (sealed: string) => string) => unknown;
  };
};

/**
 * Where the values of a purpose are kept: in a column, or only by browsers, which lose them when their key is retired.
 */
export type SealedPlace = SealedColumn | 'browsers';

/** A column of text whose values are bound to the id of their row, unless another record is named. */
export function sealedIn(
  table: keyof Tables,
  column: string,
  record: RawBuilder<unknown> = sql.ref('id'),
): SealedColumn {
  return { table, column, record };
}

/** A regular expression for text with a sealed value; its group is the id of the key. */
export const SEALED = '(?:^|")k1\\.([0-9a-f]{8})\\.';

/** The text of a row that holds its sealed values. */
export function sealedText({ column, json }: SealedColumn): RawBuilder<string> {
  return json?.text ?? sql.ref(column);
}

/** A column of sealed values, and what they are sealed for. */
export type Place = SealedColumn & { purpose: string };

/** The columns of the program that hold sealed values. */
export function sealedColumns(parts: readonly Part[]): Place[] {
  return sealedPlaces(parts).flatMap(([purpose, place]) => (place === 'browsers' ? [] : [{ ...place, purpose }]));
}

/** What the platform itself seals: the responses to requests with an `Idempotency-Key`. */
const OF_PLATFORM = {
  'idempotent-answer': sealedIn(
    'idempotency_keys',
    'answer_sealed',
    sql`rtrim(translate(encode(id, 'base64'), '+/', '-_'), '=')`,
  ),
};

/** Every purpose for which the program seals, with its place. */
export function sealedPlaces(parts: readonly Part[]): [purpose: string, SealedPlace][] {
  return [OF_PLATFORM, ...parts.map(({ sealed = {} }) => sealed)].flatMap((sealed) => Object.entries(sealed));
}
