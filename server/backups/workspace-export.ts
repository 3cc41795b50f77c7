import { PassThrough, Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { ZipFile } from 'yazl';
import { emit } from '#events';
import { keepTagKeys } from '#lasting-tags';
import { closeForExport } from '#lifecycle';
import { installationOf, setUpConsole, teamContacts, workspaceScope } from '#operators';
import { readSchema } from '#platform/applied-migrations.ts';
import { connectAlone } from '#platform/connections.ts';
import { type Ctx, systemCtx, transaction } from '#platform/ctx.ts';
import { MAX_DEAF_MS } from '#platform/feed.ts';
import type { WorkspaceId } from '#platform/ids.ts';
import { Problem } from '#platform/problem.ts';
import { at } from '#platform/scoped.ts';
import { StartError } from '#platform/start-error.ts';
import type { System } from '#platform/system.ts';
import { VERSION } from '#platform/version.ts';
import { untilOpenTransactionsEnd } from '#platform/waiting.ts';
import { workspacesById } from '#tenancy';
import { copyInto, MANIFEST, type Progress, prepareCopying, RowMeter, type ShowProgress } from './archive.ts';
import { encrypted } from './encryption.ts';
import { JOBS, keyringOfFile, newFileKey, type WorkspaceManifest } from './workspace-file.ts';
import { copyJobs } from './workspace-jobs.ts';
import { SealedRows } from './workspace-rows.ts';
import { type CarriedTable, carriedTables, copyRows } from './workspace-tables.ts';

type Exporting = {
  workspaceId: WorkspaceId;
  /** Close the workspace first, so that the file has everything that was ever acknowledged. */
  close: boolean;
  /** A key of age, secret or public. */
  key: string;
  showProgress: ShowProgress;
  /** Where the bytes go. It fails if not all of them arrive. */
  store: (content: Readable) => Promise<void>;
};

/** Longer than a transaction of a request or a job lasts. */
const MAX_WAIT_MS = 60_000;

/**
 * Writes a whole workspace into an encrypted file: a consistent snapshot, also while it is served, of which no more is held in memory
 * than what is on its way.
 * @throws StartError for an unknown workspace, for that of the operators, and for one that can't be closed
 */
export async function exportWorkspace(system: System, exporting: Exporting): Promise<WorkspaceManifest> {
  const { workspaceId, close, showProgress } = exporting;
  const { scope: operators } = await setUpConsole(system);
  if (workspaceId === operators.workspaceId)
    throw new StartError(
      'This is the workspace of the operators. It belongs to the installation; use latchkey backup.',
    );
  if ((await workspacesById(system.db, [workspaceId])).length === 0)
    throw new StartError(`There is no workspace ${workspaceId}. "latchkey workspace list" shows them.`);
  const ctx = systemCtx(system, workspaceScope(workspaceId), 'workspace-export', 'workspace-export');
  if (close) await closeAndWait(ctx);
  await transaction(ctx, keepTagKeys);
  const client = await connectAlone(system.databaseUrl, { name: 'latchkey-workspace-export', readOnly: true });
  try {
    await prepareCopying(client);
    await client.query('begin isolation level repeatable read read only');
    const content = await contentOf(ctx, client);
    const tables = await carriedTables(client, system, workspaceId);
    const progress = showProgress('Rows written', 0);
    const plain = archiveOf(system, client, { content, tables, progress });
    await exporting.store(await encrypted(plain, exporting.key)).finally(progress.end);
    await record(ctx, content);
    return content;
  } finally {
    await client.end();
  }
}

/** Closes the workspace, and waits until no process serves it and nothing that it did is still under way. */
async function closeAndWait(ctx: Ctx): Promise<void> {
  try {
    await closeForExport(ctx);
  } catch (error) {
    if (error instanceof Problem) throw new StartError(`The workspace cannot be closed: ${error.message}`);
    throw error;
  }
  await pause(MAX_DEAF_MS);
  if (!(await untilOpenTransactionsEnd(ctx.system, MAX_WAIT_MS)))
    throw new StartError('A transaction has been open for a minute, and may still write to the workspace. Try again.');
}

/** What the file says about itself, except its tables and jobs. */
async function contentOf({ system, scope }: Ctx, client: pg.Client): Promise<WorkspaceManifest> {
  const { workspaceId } = scope;
  const [workspace] = await workspacesById(system.db, [workspaceId]);
  if (!workspace) throw new StartError(`The workspace ${workspaceId} was removed meanwhile.`);
  const { newest } = await readSchema(client);
  const { name, deletesAt } = workspace;
  return {
    format: 'workspace-1',
    latchkey: VERSION,
    createdAt: new Date().toISOString(),
    schema: newest,
    workspace: { id: workspaceId, name },
    closed: deletesAt !== null,
    addresses: { test: system.config.addresses.test, production: system.config.addresses.production },
    key: newFileKey(),
    team: await teamContacts(system, workspaceId),
    tables: [],
    jobs: 0,
  };
}

type Archive = { content: WorkspaceManifest; tables: readonly CarriedTable[]; progress: Progress };

/** The ZIP: the tables one after the other, the jobs, then the manifest. */
function archiveOf(system: System, client: pg.Client, { content, tables, progress }: Archive): Readable {
  const archive = new ZipFile();
  const plain = archive.outputStream.pipe(new PassThrough());
  const fail = (error: Error) => plain.destroy(error);
  archive.on('error', fail);
  const [from, to] = [system.keyring, keyringOfFile(system, content.key)];
  for (const table of tables)
    archive.addReadStreamLazy(`${table.name}.copy`, { forceZip64Format: true }, (give) => {
      const { name, columns, sealed } = table;
      const resealing = { columns: columns.length, sealed, from, to, keepsRecords: true, lenient: true };
      const rows = new SealedRows({ ...resealing, advance: progress.advance });
      copyInto(rows, client, { statement: copyRows(table), fail });
      rows.once('end', () => content.tables.push({ name, columns, rows: rows.rows, fingerprint: rows.fingerprint }));
      give(null, rows);
    });
  archive.addReadStreamLazy(JOBS, { forceZip64Format: true }, (give) => {
    const meter = new RowMeter(() => undefined);
    copyInto(meter, client, { statement: copyJobs(content.workspace.id), fail });
    meter.once('end', () => {
      content.jobs = meter.rows;
    });
    give(null, meter);
  });
  archive.addReadStreamLazy(MANIFEST, (give) => give(null, Readable.from([JSON.stringify(content, null, 2)])));
  archive.end({ forceZip64Format: true, comment: 'Latchkey workspace' });
  return plain;
}

/** Records the export in the logs of the workspace and of the operators. */
async function record(
  ctx: Ctx,
  { workspace: { id: workspaceId, name }, closed, tables }: WorkspaceManifest,
): Promise<void> {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  await transaction(ctx, async (tx) => {
    const operators = workspaceScope(installationOf(tx.system).scope.workspaceId);
    const data = { workspaceId, name, closed, rows };
    await emit(tx, 'workspace.exported', data);
    await emit(at(tx, operators), 'workspace.exported', data);
  });
}
