import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { identityOf, placeOfNumbers } from './processes.ts';
import { StartError } from './start-error.ts';

const LOCK = 'latchkey.lock';
const SECRET = 'secret';
/** 32 random bytes are 43 characters in base64url; a shorter file is truncated. */
const SECRET_LENGTH = 32;

/** Another Latchkey process uses the data folder. */
export class AlreadyRunningError extends StartError {
  override readonly name = 'AlreadyRunningError';
}

/**
 * The holder of the data folder.
 * - `identity` distinguishes the process from a later one with the same pid.
 * - `place` says where the pid is valid: containers that share a folder do not see each other's processes.
 */
type Holder = { pid: number; identity: string; place: string; console: string };

/** How often the holder touches its lock. */
const TOUCH_MS = 2_000;
/**
 * A holder in another container counts as dead if its lock was not touched for this long. The interval is measured by
 * the observer's clock only.
 */
const SILENT_MS = 10_000;

/**
 * Creates the data folder.
 * @throws StartError if it can't be created or written to
 */
export function makeDataDir({ dataDir }: Pick<Config, 'dataDir'>): void {
  try {
    mkdirSync(dataDir, { recursive: true });
    if (statSync(dataDir).uid !== process.getuid?.()) return;
    // As root, the database runs as another user, who must be able to traverse to its own folder. The files are 0600.
    chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
  } catch (error) {
    throw notWritable(dataDir, error);
  }
}

/**
 * Creates the data folder and locks it for this process.
 * @returns releases the lock
 * @throws AlreadyRunningError, StartError if it can't be created or written to
 */
export async function takeDataDir(config: Pick<Config, 'dataDir' | 'addresses'>): Promise<{ release: () => void }> {
  makeDataDir(config);
  const path = join(config.dataDir, LOCK);
  const mine = JSON.stringify({
    pid: process.pid,
    identity: identityOf(process.pid) ?? '',
    place: placeOfNumbers(),
    start: randomUUID(),
    console: config.addresses.console,
  });
  const theirs = writeOnce(path, mine);
  if (theirs !== mine) await takeOver(path, { theirs, mine, dataDir: config.dataDir });
  const touching = setInterval(() => touch(path), TOUCH_MS).unref();
  return {
    release: () => {
      clearInterval(touching);
      discard(path, mine);
    },
  };
}

/** Replaces the lock of a process that ended without releasing it. */
async function takeOver(
  path: string,
  { theirs, mine, dataDir }: { theirs: string; mine: string; dataDir: string },
): Promise<void> {
  const holder = parseHolder(theirs);
  if (holder && (await lives(holder, path))) throw alreadyRunning(holder, dataDir);
  discard(path, theirs);
  const now = writeOnce(path, mine);
  if (now !== mine) throw alreadyRunning(parseHolder(now), dataDir);
}

async function lives({ pid, identity, place }: Holder, path: string): Promise<boolean> {
  if (place === placeOfNumbers()) return identityOf(pid) === identity;
  const before = touchedAt(path);
  for (let waited = 0; waited < SILENT_MS; waited += TOUCH_MS / 2) {
    // biome-ignore lint/performance/noAwaitInLoops: polls
    await new Promise((resolve) => setTimeout(resolve, TOUCH_MS / 2));
    const now = touchedAt(path);
    if (now !== before) return now !== null;
  }
  return false;
}

function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // A full or missing disk is reported elsewhere.
  }
}

/** Null if the lock was released. */
function touchedAt(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/** Removes the file unless another start replaced it in the meantime. */
function discard(path: string, content: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') !== content) linkSync(aside, path);
  } catch (error) {
    // Another start was faster: it moved the file, or already created its own.
    if (!['ENOENT', 'EEXIST'].includes(codeOf(error))) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function alreadyRunning(holder: Holder | null, dataDir: string): AlreadyRunningError {
  const who = holder ? ` (pid ${holder.pid}, console ${holder.console})` : '';
  return new AlreadyRunningError(
    `Latchkey is already running${who} with the data folder ${dataDir}. Stop it first, or set LATCHKEY_DATA_DIR and LATCHKEY_PORT_BASE for a second one.`,
  );
}

function parseHolder(text: string): Holder | null {
  try {
    const { pid, identity, place, console } = Object(JSON.parse(text));
    return { pid: Number(pid), identity: String(identity), place: String(place), console: String(console) };
  } catch {
    return null;
  }
}

/**
 * The secrets that encrypt and decrypt: the configured ones, or the data folder's own, created at first use (mode
 * 0600).
 * @throws StartError if the file is damaged
 */
export function loadSecrets(config: Pick<Config, 'dataDir' | 'secrets'>): readonly string[] {
  return config.secrets.length > 0 ? config.secrets : [keepSecret(join(config.dataDir, SECRET))];
}

/**
 * Reads the random secret in a file; creates it at first use (mode 0600).
 * @throws StartError if the file is damaged
 */
export function keepSecret(path: string): string {
  const secret = writeOnce(path, `${randomBytes(32).toString('base64url')}\n`).trim();
  if (secret.length < SECRET_LENGTH)
    throw new StartError(
      `The secret in ${path} is damaged: it has ${secret.length} characters, expected 43. Restore the file from a backup.`,
    );
  return secret;
}

/**
 * Creates a file (mode 0600) atomically unless it exists.
 * @returns the content of the file
 */
function writeOnce(path: string, content: string): string {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, content, { mode: 0o600 });
    linkSync(draft, path);
    return content;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw notWritable(path, error);
    return readFileSync(path, 'utf8');
  } finally {
    rmSync(draft, { force: true });
  }
}

function notWritable(path: string, cause: unknown): StartError {
  return new StartError(
    `Latchkey cannot write to ${path} (${codeOf(cause)}). Start it as the user that the data folder belongs to, or set LATCHKEY_DATA_DIR to a folder it may write to.`,
    { cause },
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
