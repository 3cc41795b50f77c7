import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import { rowsCarried } from '#platform/carriage.ts';
import type { WorkspaceId } from '#platform/ids.ts';
import { SEALED, sealedColumns, sealedText } from '#platform/sealed.ts';
import type { System } from '#platform/system.ts';
import { tablesOf } from './archive.ts';

/** A column with sealed values. */
export type SealedField = {
  /** The position of the column in a row. */
  position: number;
  purpose: string;
  /** SQL for the record that the value of a row is bound to; null where nothing is sealed. */
  record: string;
  /** The content of the column with each sealed value in it replaced. */
  change: (content: string, replace: (sealed: string) => string) => string;
};

/** A table, and which of its rows belong to a workspace. */
export type CarriedTable = {
  name: string;
  columns: string[];
  estimate: number;
  /** SQL. */
  condition: string;
  sealed: SealedField[];
};

const PUBLIC = 'public.';

/** The tables whose rows go along with a workspace, referenced tables first: those of the schema, as the parts declare. */
export async function carriedTables(
  client: pg.ClientBase,
  system: System,
  workspaceId: WorkspaceId,
): Promise<CarriedTable[]> {
  const text = (raw: RawBuilder<unknown>): string => {
    const { sql: compiled, parameters } = raw.compile(system.db);
    if (parameters.length > 0) throw new Error(`COPY takes no parameters: ${compiled}`);
    return compiled;
  };
  const places = sealedColumns(system.parts);
  return (await tablesOf(client))
    .filter(({ name }) => name.startsWith(PUBLIC))
    .flatMap(({ name: qualified, columns, estimate }) => {
      const name = qualified.slice(PUBLIC.length);
      const rows = rowsCarried(system.parts, name, columns.includes('workspace_id'));
      if (rows === null) return [];
      const sealed = places
        .filter(({ table }) => table === name)
        .map((place): SealedField => {
          const { json } = place;
          return {
            position: columns.indexOf(place.column),
            purpose: place.purpose,
            record: `case when ${text(sealedText(place))} ~ ${text(sql.lit(SEALED))} then (${text(place.record)})::text end`,
            change: (content, replace) =>
              json ? JSON.stringify(json.again(JSON.parse(content), replace)) : replace(content),
          };
        });
      return [{ name, columns, estimate, condition: text(rows(sql.lit(workspaceId))), sealed }];
    });
}

/** The COPY command for the rows of a workspace, with the records of sealed fields behind the columns. */
export function copyRows({ name, columns, condition, sealed }: CarriedTable): string {
  const fields = [...columns.map(quoted), ...sealed.map(({ record }) => record)];
  return `copy (select ${fields.join(', ')} from ${PUBLIC}${name} where ${condition}) to stdout`;
}

export function quoted(column: string): string {
  return `"${column}"`;
}
