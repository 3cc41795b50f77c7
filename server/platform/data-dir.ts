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
/** 32 random bytes make 43 characters; less is a file cut off. */
const SECRET_LENGTH = 32;

/** Another Latchkey uses the data folder. */
export class AlreadyRunningError extends StartError {
  override readonly name = 'AlreadyRunningError';
}

/**
 * Who holds the data folder. `identity` tells the process from a later one with the same number, `place` whether its number means
 * anything here: containers that share a folder do not see each other's processes.
 */
type Holder = { pid: number; identity: string; place: string; console: string };

/** The holder touches its lock this often, */
const TOUCH_MS = 2_000;
/** and counts as gone after this long without, for those who can't see its process. Clocks of machines are not compared. */
const SILENT_MS = 10_000;

/**
 * Makes the data folder.
 * @throws StartError when it can't be made or written to
 */
export function makeDataDir({ dataDir }: Pick<Config, 'dataDir'>): void {
  try {
    mkdirSync(dataDir, { recursive: true });
    if (statSync(dataDir).uid !== process.getuid?.()) return;
    // As root the database runs as another user, who has to get through to its own folder below; the files are 0600.
    chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
  } catch (error) {
    throw notWritable(dataDir, error);
  }
}

/**
 * Makes the data folder and takes it for this process.
 * @returns gives it back
 * @throws AlreadyRunningError, StartError when it can't be made or written to
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

/** Replaces the lock of a process that ended without giving it back. */
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
    // A full or missing disk shows elsewhere.
  }
}

/** Null for a lock that was given back. */
function touchedAt(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/** Removes the file unless another start has replaced it meanwhile. */
function discard(path: string, content: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') !== content) linkSync(aside, path);
  } catch (error) {
    // Another start has put it aside first, or has already taken the place.
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
 * The secrets to encrypt and decrypt with: the configured ones, or the data folder's own, made at first use (mode 0600).
 * @throws StartError when the file is damaged
 */
export function loadSecrets(config: Pick<Config, 'dataDir' | 'secrets'>): readonly string[] {
  return config.secrets.length > 0 ? config.secrets : [keepSecret(join(config.dataDir, SECRET))];
}

/**
 * The random secret kept in a file (mode 0600), made at first use.
 * @throws StartError when the file is damaged
 */
export function keepSecret(path: string): string {
  const secret = writeOnce(path, `${randomBytes(32).toString('base64url')}\n`).trim();
  if (secret.length < SECRET_LENGTH)
    throw new StartError(
      `The secret in ${path} is damaged: it has ${secret.length} characters, expected 43. Restore the file from a backup.`,
    );
  return secret;
}

/** Writes a file (mode 0600) unless it is there; nobody ever sees half of it. @returns what the file holds now */
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
    `Latchkey can not write to ${path} (${codeOf(cause)}). Start it as the user that the data folder belongs to, or set LATCHKEY_DATA_DIR to a folder it may write to.`,
    { cause },
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
