import { readFileSync } from 'node:fs';
import { observeStatements } from '#platform/db.ts';

/** Tables with a workspace_id, according to the committed schema. */
const TENANT_TABLES = readFileSync(new URL('../migrations/schema.sql', import.meta.url), 'utf8')
  .split(/^create table /m)
  .filter((table) => /^ {2}workspace_id /m.test(table))
  .map((table) => table.slice(0, table.indexOf(' ')));
const TOUCHES = new RegExp(`\\b(from|join|into|update)\\s+"?(${TENANT_TABLES.join('|')})"?(\\s|$)`, 'i');

/** Records statements that touch a tenant table without naming the workspace. */
export function watchScoping(): { stop: () => string[] } {
  const faults = new Set<string>();
  const stop = observeStatements((sql) => {
    if (touchesTenantTable(sql) && !sql.includes('workspace_id') && !sql.includes('/* all workspaces */'))
      faults.add(sql);
  });
  return {
    stop: () => {
      stop();
      return [...faults];
    },
  };
}

/** True for a statement that reads or writes a table of a tenant. */
function touchesTenantTable(sql: string): boolean {
  return TOUCHES.test(sql);
}
