import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';

const LINUX = existsSync('/proc/self/stat');
const NO_PS = process.platform === 'win32';

/**
 * Distinguishes a process from a later one with the same pid (after a reboot or in a container, where pids repeat), by
 * its start time. Null if there is no such process.
 */
export function identityOf(pid: number): string | null {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  if (LINUX) return linuxIdentity(pid);
  return NO_PS ? (isAlive(pid) ? 'alive' : null) : ps(pid, 'lstart=');
}

/** Identifies the pid namespace: this boot of this machine and, in a container, this container. */
export function placeOfNumbers(): string {
  try {
    return LINUX ? `${bootId()} ${readlinkSync('/proc/self/ns/pid')}` : '';
  } catch {
    return '';
  }
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** True if the process is the PostgreSQL server of `folder`, that is, it was started with `-D folder`. */
export function servesFolder(pid: number, folder: string): boolean {
  if (identityOf(pid) === null) return false;
  if (!LINUX) return NO_PS || (ps(pid, 'command=') ?? '').includes(`-D ${folder}`);
  try {
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return args.includes('-D') && realpathSync(args[args.indexOf('-D') + 1] ?? '') === realpathSync(folder);
  } catch {
    return false;
  }
}

function linuxIdentity(pid: number): string | null {
  try {
    // proc(5): the name in parentheses may contain any character; state is the first field after it, the start time the
    // 20th.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${bootId()} ${fields[19]}`;
  } catch {
    return null;
  }
}

function ps(pid: number, field: string): string | null {
  try {
    return execFileSync('ps', ['-o', field, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
