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
  const [source, target, key, folder] = await Promise.all([
    startTestLatchkey({ settings }),
    startTestLatchkey(options),
    newBackupKey(),
    mkdtemp(join(tmpdir(), 'latchkey-workspaces-')),
  ]);
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
  let sourceRuns = true;
  /** Frees the addresses of the source. */
  const stopSource = async (): Promise<void> => {
    if (sourceRuns) await source.stop();
    sourceRuns = false;
  };
  const newFile = () => join(folder, `${crypto.randomUUID()}.latchkey`);
  return {
    source,
    target,
    key,
    settingsOf,
    command,
    newFile,
    /** Exports a workspace into a new file. */
    exported: async ({ workspaceId }: { workspaceId: string }, ...options: string[]): Promise<string> => {
      const file = newFile();
      const { status, errors } = await command(source, 'export', workspaceId, file, '--key', key.shared, ...options);
      assert.equal(status, 0, errors);
      return file;
    },
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
      await rm(folder, { recursive: true, force: true });
    },
  };
}
