import pg from 'pg';
import type { Scope } from '#platform/ctx.ts';
import type { TestSystem } from './running.ts';

/** A check constraint that lists the values of one column. */
const CHECK = /^CHECK \(\((\w+) = ANY \(ARRAY\[(.*)\]\)\)\)$/;

/**
 * Tables that a removal does not empty: the removed record itself is deleted last, and the others belong to the
 * built-in workspace and the default projects, which can't be deleted.
 */
const KEPT = ['projects', 'workspaces', 'default_projects', 'console_installation', 'console_sessions'];

/** Values that give a worker nothing to do, and the value of a column that takes only one. */
const SPECIAL: Record<string, string> = {
  'events.sequence': '1',
  'messages.status': "'sent'",
  'audit_keys.purpose': "'checkpoints'",
};
const FAR = "'2100-01-01T00:00:00Z'";

const VALUES: Record<string, string> = {
  text: "'seed'",
  jsonb: "'{}'",
  json: "'{}'",
  bytea: "'seed'",
  boolean: 'false',
  integer: '1',
  bigint: '1',
  date: FAR,
  inet: "'192.0.2.1'",
  ARRAY: "'{}'",
  'timestamp with time zone': FAR,
};

type Column = { table: string; name: string; type: string; filled: boolean };

/** The columns of every table, read from the database. */
async function columnsOf(pool: pg.Pool): Promise<Column[]> {
  const { rows } = await pool.query<Column>(
    `select table_name as table, column_name as name, data_type as type, is_nullable = 'NO' and column_default is null as filled
     from information_schema.columns where table_schema = 'public' order by ordinal_position`,
  );
  return rows;
}

/** The columns of every table with rows of a workspace or project. */
async function tenantColumns(pool: pg.Pool): Promise<Column[]> {
  const columns = await columnsOf(pool);
  const tenants = new Set(
    columns.filter(({ name }) => name === 'workspace_id' || name === 'project_id').map(({ table }) => table),
  );
  return columns.filter(({ table }) => tenants.has(table) && !KEPT.includes(table));
}

/** The tables with rows of a workspace or project, which are removed with it. */
export async function tenantTables(pool: pg.Pool): Promise<string[]> {
  return [...new Set((await tenantColumns(pool)).map(({ table }) => table))].sort();
}

/** The first allowed value of each checked column. */
async function checkedValues(pool: pg.Pool): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ table: string; definition: string }>(
    `select conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition from pg_constraint where contype = 'c'`,
  );
  return new Map(
    rows.flatMap(({ table, definition }) => {
      const [, column, values = ''] = CHECK.exec(definition) ?? [];
      return column === undefined ? [] : [[`${table}.${column}`, values.split('::')[0] ?? "''"] as const];
    }),
  );
}

/** Inserts a row into every tenant table. The rows refer to one another. */
export async function fillTenantTables(system: TestSystem, scope: Scope): Promise<void> {
  await fill(system, scope, await tenantColumns(system.pool));
}

/** Inserts a row into each of these tables. */
export async function fillTables(system: TestSystem, scope: Scope, tables: ReadonlySet<string>): Promise<void> {
  await fill(
    system,
    scope,
    (await columnsOf(system.pool)).filter(({ table }) => tables.has(table)),
  );
}

async function fill({ pool, databaseUrl }: TestSystem, scope: Scope, columns: readonly Column[]): Promise<void> {
  const own: Record<string, string> = {
    workspace_id: `'${scope.workspaceId}'`,
    project_id: `'${scope.projectId}'`,
    environment: `'${scope.environment}'`,
  };
  // Earlier versions have one of each in the whole installation.
  const once: Record<string, string> = {
    'idempotency_keys.id': `'${scope.projectId}'`,
    'rate_limits.key': `'${scope.projectId}'`,
  };
  const checked = await checkedValues(pool);
  const tables = Map.groupBy(columns, ({ table }) => table);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('begin');
    // Foreign keys are disabled, because the rows are inserted in no particular order.
    // On a Citus cluster the other servers hear of it, too.
    await client.query("set local citus.propagate_set_commands = 'local'");
    await client.query('set local session_replication_role = replica');
    for (const [table, all] of tables) {
      const given = all.filter(({ name, filled }) => filled || own[name] || SPECIAL[`${table}.${name}`]);
      // A status page of a project has a key of its own; that of the environment is the installation's.
      const key: Record<string, string> = table.startsWith('status_')
        ? { environment: `'${scope.projectId}-${scope.environment}'` }
        : {};
      const valueFor = ({ name, type }: Column) =>
        key[name] ??
        own[name] ??
        once[`${table}.${name}`] ??
        SPECIAL[`${table}.${name}`] ??
        checked.get(`${table}.${name}`) ??
        VALUES[type];
      // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
      await client.query(
        `insert into ${table} (${given.map(({ name }) => name).join(', ')}) values (${given.map(valueFor).join(', ')})
         on conflict do nothing`,
      );
    }
    await client.query('commit');
  } finally {
    await client.end();
  }
}

/** The tables with rows of a project, or (without a project) of a workspace. */
export async function tablesWith(
  pool: pg.Pool,
  { workspaceId, projectId }: { workspaceId: string; projectId?: string },
): Promise<string[]> {
  const columns = await tenantColumns(pool);
  const [name, value] = projectId === undefined ? ['workspace_id', workspaceId] : ['project_id', projectId];
  const found = await Promise.all(
    columns
      .filter((column) => column.name === name)
      .map(async ({ table }) => {
        const { rowCount } = await pool.query(`select from ${table} where ${name} = $1 limit 1`, [value]);
        return rowCount === 0 ? [] : [table];
      }),
  );
  return found.flat().sort();
}
