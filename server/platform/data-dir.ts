import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.ts';

const LOCK = 'latchkey.lock';
const SECRET = 'secret';

/** Another Latchkey uses the data folder. */
export class AlreadyRunningError extends Error {
  constructor(holder: string) {
    super(`Latchkey is already running with this data folder (${holder}). Stop it first, or set LATCHKEY_DATA_DIR and LATCHKEY_PORT_BASE for a second one.`);
    this.name = 'AlreadyRunningError';
  }
}

/**
 * Makes the data folder and takes it for this process.
 * @returns gives it back
 * @throws AlreadyRunningError
 */
export function takeDataDir(config: Config): { release: () => void } {
  mkdirSync(config.dataDir, { recursive: true });
  // As root the database runs as another user, who has to get through to its own folder below; the files are 0600.
  chmodSync(config.dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
  const path = join(config.dataDir, LOCK);
  if (!tryLock(path, config)) {
    const holder = readFileSync(path, 'utf8').trim();
    if (isAlive(Number.parseInt(holder.replace('pid ', ''), 10))) throw new AlreadyRunningError(holder);
    rmSync(path, { force: true });
    if (!tryLock(path, config)) throw new AlreadyRunningError('it started just now');
  }
  return { release: () => rmSync(path, { force: true }) };
}

function tryLock(path: string, config: Config): boolean {
  try {
    const file = openSync(path, 'wx', 0o600);
    writeFileSync(file, `pid ${process.pid}, console ${config.addresses.console}\n`);
    closeSync(file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The secrets to encrypt and decrypt with: the configured ones, or the data folder's own, made at first use (mode 0600). */
export function loadSecrets(config: Config): readonly string[] {
  if (config.secrets.length > 0) return config.secrets;
  const path = join(config.dataDir, SECRET);
  if (!existsSync(path)) writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  return [readFileSync(path, 'utf8').trim()];
}
