import { type RawBuilder, sql } from 'kysely';
import type { Tables } from './db.ts';
import type { Part } from './part.ts';

/**
 * What happens to a table when a workspace is carried to another installation. Tables with `workspace_id` go along by themselves, so a
 * part declares only the others: those whose rows are found in another way, and those that stay.
 */
export type Carriage = {
  readonly [Table in keyof Tables]?:
    | { rows: (workspace: RawBuilder<string>) => RawBuilder<unknown> }
    | { staysBecause: string };
};

/** The condition for the rows of a workspace in a table that has `workspace_id`. */
function byWorkspace(workspace: RawBuilder<string>): RawBuilder<unknown> {
  return sql`workspace_id = ${workspace}`;
}

/**
 * The condition for the rows of a workspace that go along, as a function of its id.
 * @param hasWorkspace whether the table has the column `workspace_id`
 * @returns null if none go along
 */
export function rowsCarried(
  parts: readonly Part[],
  table: string,
  hasWorkspace: boolean,
): ((workspace: RawBuilder<string>) => RawBuilder<unknown>) | null {
  const declared = parts.flatMap(({ carriage = {} }) => Object.entries(carriage)).find(([name]) => name === table)?.[1];
  if (declared) return 'rows' in declared ? declared.rows : null;
  return hasWorkspace ? byWorkspace : null;
}
