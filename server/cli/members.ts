import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { ShowProgress } from '#backups';
import { findProject } from '#environments';
import { withSystem } from '#hosts';
import {
  exportMembers,
  getImport,
  type ImportFormat,
  importChunk,
  type MemberImport,
  noteExport,
  receiveImport,
  reportImport,
} from '#imports';
import { openDataKeys } from '#keys';
import { memberCount } from '#members';
import { outgoing, writtenFor } from '#other-systems';
import { type Ctx, type Scope, systemCtx } from '#platform/ctx.ts';
import { loadSecrets } from '#platform/data-dir.ts';
import { createLog } from '#platform/log.ts';
import { migrate } from '#platform/migrate.ts';
import { StartError } from '#platform/start-error.ts';
import type { System } from '#platform/system.ts';
import { announcerFor } from './announcer.ts';
import { failing } from './failing.ts';
import { type Overrides, withDatabase } from './installation.ts';
import { progressFor } from './progress.ts';

/** The command-line options that are not settings. */
export type MemberOptions = {
  workspace?: string;
  project?: string;
  environment?: string;
  format?: string;
  /** Of an export: the system that the file is for. */
  to?: string;
  dryRun?: true;
  json?: true;
};

/** How many rows of the report are shown. */
export const MAX_SHOWN = 20;

/** Imports a file of members into a project. If interrupted, the worker of a server continues the import. */
export async function importFile(
  overrides: Overrides,
  [file = '', ...others]: readonly string[],
  options: MemberOptions,
): Promise<void> {
  const check = () => {
    if (others.length > 0) throw new StartError('Name one file, or the system that the files come from (--from).');
    formatOf(options.format, file);
    return sizeOf(file);
  };
  const showProgress = progressFor(overrides);
  const work = async (ctx: Ctx) => {
    const size = await sizeOf(file);
    const reading = showProgress('Reading bytes', size);
    let read = 0;
    const { id, rows } = await receiveImport(ctx, createReadStream(file), {
      format: formatOf(options.format, file),
      dryRun: options.dryRun ?? false,
      progress: (bytes) => {
        reading.advance(bytes - read);
        read = bytes;
      },
    });
    reading.end();
    const done = await processImport(ctx, { id, rows }, showProgress);
    const { report } = await reportImport(ctx, id, { limit: MAX_SHOWN, outcome: 'failed' });
    if (options.json) process.stdout.write(`${JSON.stringify({ ...done, report })}\n`);
    else process.stdout.write(`${summary(done)}${report.map(faultLine).join('')}`);
    if (done.failed > 0) process.exitCode = 1;
  };
  await inProject(overrides, options, { check, work });
}

/**
 * @returns the size in bytes
 * @throws StartError
 */
export async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: unknown) => {
    throw new StartError(`${file} cannot be read (${String(Object(error).code)}).`);
  });
  if (!found.isFile()) throw new StartError(`${file} is not a file.`);
  return found.size;
}

export async function processImport(
  ctx: Ctx,
  { id, rows }: Pick<MemberImport, 'id' | 'rows'>,
  showProgress: ShowProgress,
): Promise<MemberImport> {
  const importing = showProgress('Importing rows', rows);
  let found = await getImport(ctx, id);
  while (found.status !== 'completed') {
    // biome-ignore lint/performance/noAwaitInLoops: chunks follow one another
    const more = await importChunk(ctx, id);
    const before = found.rowsDone;
    found = await getImport(ctx, id);
    importing.advance(found.rowsDone - before);
    // The worker of a server is processing the last chunks.
    if (!more && found.status !== 'completed') await new Promise((resolve) => setTimeout(resolve, 100));
  }
  importing.end();
  return found;
}

export function summary({ id, dryRun, rows, created, joined, unchanged, failed }: MemberImport): string {
  const what = dryRun ? 'Dry run' : 'Import';
  return `${what} ${id}: ${rows} rows, ${created} created, ${joined} joined, ${unchanged} unchanged, ${failed} failed.\n`;
}

export function faultLine({ row, errors }: { row: number; errors: { pointer: string; message: string }[] }): string {
  return `  row ${row}: ${errors.map(({ pointer, message }) => `${pointer} ${message}`.trim()).join('; ')}\n`;
}

function formatOf(format: string | undefined, file: string): ImportFormat {
  const said = format ?? (file.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson');
  if (said === 'csv' || said === 'ndjson') return said;
  throw new StartError(`There is no format "${said}"; expected ndjson or csv.`);
}

/** Exports all members of a project, with their password hashes, to a file (mode 0600) or to standard output. */
export async function exportFile(
  overrides: Overrides,
  file: string | undefined,
  options: MemberOptions,
): Promise<void> {
  const check = async () => {
    if (options.to !== undefined && !outgoing.has(options.to))
      throw new StartError(`There is no system "${options.to}"; expected ${[...outgoing.keys()].join(', ')}.`);
    if (file !== undefined && existsSync(file)) throw new StartError(`${file} exists already. Name a new file.`);
  };
  const work = async (ctx: Ctx) => {
    await noteExport(ctx, { passwordHashes: true });
    const out = file === undefined ? process.stdout : createWriteStream(file, { mode: 0o600, flags: 'wx' });
    if (file !== undefined) await once(out, 'open');
    const exporting = progressFor(overrides)('Exporting members', await memberCount(ctx));
    let rows = 0;
    for await (const { text, rows: count } of pagesFor(ctx, options.to)) {
      if (!out.write(text)) await once(out, 'drain');
      rows += count;
      exporting.advance(count);
    }
    exporting.end();
    if (file === undefined) return;
    out.end();
    await finished(out);
    process.stdout.write(
      options.json ? `${JSON.stringify({ file, rows })}\n` : `Exported ${rows} members to ${file}.\n`,
    );
  };
  await inProject(overrides, options, { check, work });
}

/** The pages of an export, as Latchkey's own rows or for another system. */
async function* pagesFor(ctx: Ctx, to: string | undefined): AsyncGenerator<{ text: string; rows: number }> {
  const pages = exportMembers(ctx, { passwordHashes: true });
  const target = to === undefined ? undefined : outgoing.get(to);
  if (target) return yield* writtenFor(target, pages);
  for await (const text of pages) yield { text, rows: text.split('\n').length - 1 };
}

type Work = {
  /**
   * The checks before the database is opened.
   * @throws StartError
   */
  check: () => Promise<unknown>;
  work: (ctx: Ctx) => Promise<void>;
};

/** Runs work in the named project, or the environment's default one; also while a server runs. */
export async function inProject(overrides: Overrides, options: MemberOptions, { check, work }: Work): Promise<void> {
  await failing(overrides, async () => {
    await check();
    await withDatabase(overrides, async ({ config, databaseUrl }) => {
      await migrate(databaseUrl, announcerFor(overrides).say);
      const secrets = loadSecrets(config);
      await withSystem({ config, databaseUrl, secrets, log: createLog(config) }, async (system) => {
        await openDataKeys(system);
        await work(systemCtx(system, await scopeOf(system, options), 'command line', crypto.randomUUID()));
      });
    });
  });
}

async function scopeOf(system: System, { workspace, project, environment = 'test' }: MemberOptions): Promise<Scope> {
  const known = environment === 'prod' ? 'production' : environment;
  if (known !== 'test' && known !== 'production')
    throw new StartError(`There is no environment "${environment}"; expected test or production.`);
  if ((workspace === undefined) !== (project === undefined))
    throw new StartError('Name both --workspace and --project, or neither for the default project.');
  const found = await findProject(
    system,
    workspace === undefined || project === undefined
      ? { environment: known, default: true }
      : { environment: known, workspaceId: `wrk_${workspace.slice(4)}`, projectId: `prj_${project.slice(4)}` },
  );
  if (!found) throw new StartError('There is no such project in this installation.');
  return { workspaceId: found.workspaceId, projectId: found.projectId, environment: known };
}
