import { sql } from 'kysely';
import { environments } from '#platform/ctx.ts';
import type { Tables } from '#platform/db.ts';
import { type Removal, removeRows } from '#platform/removal.ts';
import { keyOf } from './pages.ts';

/** The rows of a removed project's pages, or of all pages of a removed workspace. */
function rowsOfPages(table: keyof Tables): Removal {
  return {
    tables: [table],
    remove: (tx, { workspaceId, projectId }, limit) => {
      const ofWorkspace = sql`workspace_id = ${workspaceId}`;
      const keys = projectId === null ? [] : environments.map((environment) => keyOf({ projectId, environment }));
      const where = projectId === null ? ofWorkspace : sql`${ofWorkspace} and environment = any(${keys}::text[])`;
      return removeRows(tx, table, { where: sql`${where}`, limit });
    },
  };
}

/** Rows that others refer to come last. */
export const pageRemovals: readonly Removal[] = [
  rowsOfPages('status_codes'),
  rowsOfPages('status_notices'),
  rowsOfPages('status_subscribers'),
  rowsOfPages('status_templates'),
  rowsOfPages('status_updates'),
  rowsOfPages('status_maintenances'),
  rowsOfPages('status_incidents'),
  rowsOfPages('status_days'),
  rowsOfPages('status_components'),
  rowsOfPages('status_groups'),
  rowsOfPages('status_boards'),
];
