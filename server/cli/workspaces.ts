import { resolve } from 'node:path';
import { Value } from 'typebox/value';
import { exportWorkspace, findBackup, type Imported, importWorkspace, storeFile } from '#backups';
import { keepWorkspace } from '#lifecycle';
import { setUpConsole, workspaceScope } from '#operators';
import { systemCtx } from '#platform/ctx.ts';
import { IdSchema, type WorkspaceId } from '#platform/ids.ts';
import { Problem } from '#platform/problem.ts';
import { StartError } from '#platform/start-error.ts';
import type { System } from '#platform/system.ts';
import { allWorkspaces, workspacesById } from '#tenancy';
import { exists } from './backup.ts';
import { failing } from './failing.ts';
import { type Overrides, withInstallation } from './installation.ts';
import { progressFor } from './progress.ts';
import { printTable } from './table.ts';

type Output = { json?: true };

/** Lists the workspaces of the installation. */
export async function listWorkspaces(overrides: Overrides, { json }: Output): Promise<void> {
  await failing(overrides, () =>
    withInstallation(overrides, async ({ db }) => {
      const workspaces = await workspacesById(db, await allWorkspaces(db));
      if (json) process.stdout.write(`${JSON.stringify(workspaces, null, 2)}\n`);
      else
        printTable(
          ['WORKSPACE', 'CREATED', 'REMOVED ON', 'NAME'],
          workspaces.map(({ id, name, createdAt, deletesAt }) => [
            id,
            createdAt.slice(0, 10),
            deletesAt?.slice(0, 10) ?? '',
            name,
          ]),
        );
    }),
  );
}

type ExportOptions = Output & { close?: true; key?: string };

/** Writes a whole workspace into an encrypted file. */
export async function exportTo(
  overrides: Overrides,
  { workspace, file }: { workspace: string; file: string },
  options: ExportOptions,
): Promise<void> {
  await failing(overrides, async () => {
    const workspaceId = workspaceNamed(workspace);
    if (await exists(file)) throw new StartError(`${file} exists already. Name a new file.`);
    await withInstallation(overrides, async (system) => {
      const key = options.key ?? system.config.backup.keys[0];
      if (key === undefined)
        throw new StartError(
          'The file of a workspace is always encrypted. Name a key: --key age1… (the public key of who will import it; "latchkey backup-key" makes one), or LATCHKEY_BACKUP_KEY.',
        );
      const { key: _secret, ...written } = await exportWorkspace(system, {
        workspaceId,
        close: options.close === true,
        key,
        showProgress: progressFor(overrides),
        store: (content) => storeFile(resolve(file), content),
      });
      const rows = written.tables.reduce((sum, table) => sum + table.rows, 0);
      process.stdout.write(
        options.json
          ? `${JSON.stringify({ file, ...written }, null, 2)}\n`
          : `${file}: ${written.workspace.name} with ${rows} rows of ${written.tables.length} tables and ${written.jobs} jobs, schema ${written.schema}.
${
  written.closed
    ? `It is closed here, and removed after seven days. To undo that: latchkey workspace reopen ${workspaceId}`
    : 'It is still served here: what changes from now on is not in the file. To move it, export it with --close.'
}\n`,
      );
    });
  });
}

/** Imports a workspace from a file of another installation. */
export async function importFrom(
  overrides: Overrides,
  file: string,
  { owner, json }: Output & { owner?: string },
): Promise<void> {
  await failing(overrides, () =>
    withInstallation(overrides, async (system) => {
      const { name, source } = await findBackup(system, { named: file, stored: false });
      const keys = system.config.backup.keys;
      const imported = await importWorkspace(system, {
        name,
        source,
        keys,
        owner,
        showProgress: progressFor(overrides),
      });
      process.stdout.write(json ? `${JSON.stringify(reported(system, imported), null, 2)}\n` : told(system, imported));
    }),
  );
}

/** The report of an import, without the key of the file. */
function reported(system: System, { manifest: { key: _secret, ...manifest }, ...imported }: Imported): object {
  return { ...manifest, ...imported, otherAddresses: otherAddresses(system, manifest.addresses) };
}

function told(system: System, { manifest, rows, joined, missing }: Imported): string {
  const others = otherAddresses(system, manifest.addresses);
  const lines = [
    `${manifest.workspace.name} (${manifest.workspace.id}) is imported: ${rows} rows of ${manifest.tables.length} tables and ${manifest.jobs} jobs. It is served from now on.`,
    `Its team here: ${joined.join(', ')}.`,
    missing.length > 0 &&
      `No operators of this installation, so not in the team: ${missing.join(', ')}. Invite them in the console.`,
    others.length > 0 &&
      `These addresses are others than before, so tokens have another issuer: ${others.join(', ')}. See docs/moving-workspaces.md.`,
    !manifest.closed && 'It was not closed where it came from. What changed there after the export is missing here.',
  ];
  return `${lines.filter((line) => line !== false).join('\n')}\n`;
}

/** The names of the addresses that differ between the installations. */
function otherAddresses({ config: { addresses } }: System, before: Imported['manifest']['addresses']): string[] {
  return (['test', 'production'] as const).flatMap((environment) =>
    (['auth', 'api'] as const)
      .filter((host) => addresses[environment][host] !== before[environment][host])
      .map((host) => `${environment} ${host}`),
  );
}

/** Opens a workspace again that was closed for its export. */
export async function reopen(overrides: Overrides, workspace: string): Promise<void> {
  await failing(overrides, async () => {
    const workspaceId = workspaceNamed(workspace);
    await withInstallation(overrides, async (system) => {
      await setUpConsole(system);
      const ctx = systemCtx(system, workspaceScope(workspaceId), 'workspace-reopen', 'workspace-reopen');
      const { name } = await keepWorkspace(ctx).catch((error: unknown) => {
        throw error instanceof Problem ? new StartError(error.message) : error;
      });
      process.stdout.write(`${name} is served again.\n`);
    });
  });
}

function workspaceNamed(text: string): WorkspaceId {
  if (Value.Check(IdSchema('wrk'), text)) return text;
  throw new StartError(`"${text}" is not the id of a workspace. "latchkey workspace list" shows them.`);
}
