import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newBackupKey } from '#backups';
import { addTeamMember, workspaceScope } from '#operators';
import { type Ran, runLatchkey } from './command-line.ts';
import { startTestLatchkey, type TestLatchkey } from './harness.ts';
import { newOperator } from './operators.ts';
import type { TestOptions } from './running.ts';
import { createTenant, type Tenant } from './tenants.ts';

export type OwnedTenant = Tenant & {
  /** The email address of an operator of the target, who becomes its owner there. */
  operator: string;
};

/** Two installations that share nothing, and the commands that move workspaces between them. */
export type Installations = Awaited<ReturnType<typeof startInstallations>>;

/** @param options of the target, if it can't be the shared Latchkey */
export async function startInstallations(options?: TestOptions) {
  // Without a worker, what waits at the source waits for the target.
  const settings = { LATCHKEY_SECRET: 'the secret of the installation they leave', LATCHKEY_ROLES: 'auth,api,console' };
  const [source, target, moves] = await Promise.all([
    startTestLatchkey({ settings }),
    startTestLatchkey(options),
    prepareMoves(),
  ]);
  let sourceRuns = true;
  /** Frees the addresses of the source. */
  const stopSource = async (): Promise<void> => {
    if (sourceRuns) await source.stop();
    sourceRuns = false;
  };
  return {
    source,
    target,
    ...moves,
    /** Exports a workspace of the source into a new file. */
    exported: (scope: { workspaceId: string }, ...options: string[]) => moves.exported(source, scope, ...options),
    /** Creates a workspace at the source, whose owner is an operator there. */
    ownedTenant: async (name: string): Promise<OwnedTenant> => {
      const tenant = await createTenant(source, name);
      const [here, there] = [await newOperator(source), await newOperator(target)];
      const scope = workspaceScope(tenant.scope.workspaceId);
      await source.inProject((tx) => addTeamMember({ ...tx, scope }, here.userId, 'owner'));
      return { ...tenant, operator: there.email };
    },
    stopSource,
    stop: async () => {
      await Promise.all([stopSource(), target.stop()]);
      await moves.removeFiles();
    },
  };
}

/** A folder for files, their key, and the commands that move workspaces. */
export async function prepareMoves() {
  const [key, folder] = await Promise.all([newBackupKey(), mkdtemp(join(tmpdir(), 'latchkey-workspaces-'))]);
  /** The settings of the commands of an installation. */
  const settingsOf = ({ system }: TestLatchkey) => ({
    DATABASE_URL: system.databaseUrl,
    LATCHKEY_SECRET: system.config.secrets[0] ?? '',
    LATCHKEY_DATA_DIR: join(folder, 'data'),
    LATCHKEY_BACKUP_KEY: key.secret,
    LATCHKEY_PORT_BASE: new URL(system.config.addresses.console).port,
  });
  const command = (latchkey: TestLatchkey, ...args: string[]): Promise<Ran> =>
    runLatchkey(['workspace', ...args], settingsOf(latchkey));
  const newFile = () => join(folder, `${crypto.randomUUID()}.latchkey`);
  /** Exports a workspace into a new file. */
  const exported = async (
    source: TestLatchkey,
    { workspaceId }: { workspaceId: string },
    ...options: string[]
  ): Promise<string> => {
    const file = newFile();
    const { status, errors } = await command(source, 'export', workspaceId, file, '--key', key.shared, ...options);
    assert.equal(status, 0, errors);
    return file;
  };
  const removeFiles = () => rm(folder, { recursive: true, force: true });
  return { key, settingsOf, command, newFile, exported, removeFiles };
}

/** Tables that get more rows by the import itself, and those that stay. */
const OTHERWISE =
  /^(events|event_sequences|audit_\w+|team_\w+|console_\w+|default_projects|messages|webhook_\w+|daily_figures|figures_\w+|active_people)$/;

/** The number of rows that a workspace has in each table, and a hash of what is in them and not sealed. */
async function contentsOf({ system }: TestLatchkey, { scope: { workspaceId } }: Tenant): Promise<Map<string, Content>> {
  const { rows: tables } = await system.pool.query<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'workspace_id'`,
  );
  const contents = new Map<string, Content>();
  for (const { name } of tables) {
    // biome-ignore lint/performance/noAwaitInLoops: one table after the other
    const { rows } = await system.pool.query<Content>(
      `select count(*)::integer as count, md5(string_agg(content, ' ' order by content)) as hash
       from (select regexp_replace(to_jsonb(t)::text, 'k1\\.[[:alnum:]_.-]+', 'sealed', 'g') as content from ${name} t where workspace_id = $1) rows`,
      [workspaceId],
    );
    for (const content of rows) contents.set(name, content);
  }
  return contents;
}

type Content = { count: number; hash: string | null };

/** Every row of a workspace that moved is there: every table of the schema. */
export async function expectWhole(source: TestLatchkey, target: TestLatchkey, tenant: Tenant): Promise<void> {
  const [before, now] = [await contentsOf(source, tenant), await contentsOf(target, tenant)];
  for (const [table, content] of before) {
    if (OTHERWISE.test(table))
      assert.ok(/^(team_|console_|default_)/.test(table) || (now.get(table)?.count ?? 0) >= content.count, table);
    else assert.deepEqual([table, now.get(table)], [table, content]);
  }
  assert.ok([...before.values()].filter(({ count }) => count > 0).length > 80);
}
