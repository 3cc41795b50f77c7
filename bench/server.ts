import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildRelease } from '../packaging/running.ts';
import type { Guarded } from './guardian.ts';

/** The measured program runs alone on this core; the load generator and the database share the other. */
const SERVER_CORE = '0';
const LOAD_CORE = '1';

const ROOT = resolve(import.meta.dirname, '..');
const CLONE = join(ROOT, 'server/latchkey.mjs');
/** As `npm start`, a release and the image start it. */
const HEAP = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
/** As the command and the image start it. */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: '4194304' };
const BASELINES = resolve(import.meta.dirname, 'baselines.ts');

/** True when programs can be pinned to cores (Linux). */
export const pinned = spawnSync('taskset', ['--version']).status === 0;

/** Moves this process and its future child processes to the load core. */
export function pinToLoadCore(): void {
  if (pinned) spawnSync('taskset', ['-a', '-cp', LOAD_CORE, String(process.pid)]);
}

let guardian: ChildProcess | undefined;

/** Ends a process, or removes a folder, when this benchmark ends in whatever way. */
export function guard(guarded: Guarded): void {
  if (!guardian) {
    guardian = fork(resolve(import.meta.dirname, 'guardian.ts'), { detached: true, stdio: 'ignore' });
    guardian.unref();
    guardian.channel?.unref();
  }
  guardian.send(guarded);
}

export type Started = { child: ChildProcess /** What it printed until it was ready. */; output: string };

/** Starts a program on the server core and waits until its output contains `sign`. */
async function startPinned(args: string[], sign: string, env: Record<string, string>): Promise<Started> {
  const [program = '', ...rest] = pinned
    ? ['taskset', '-c', SERVER_CORE, process.execPath, ...args]
    : [process.execPath, ...args];
  const child = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
  });
  if (child.pid !== undefined) guard({ pid: child.pid });
  let output = '';
  await new Promise<void>((ready, fail) => {
    child.once('exit', (code) =>
      output.includes(sign) ? ready() : fail(new Error(`${args.join(' ')} ended with ${code}: ${output}`)),
    );
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes(sign)) ready();
    });
  });
  return { child, output };
}

let release: Promise<string> | undefined;

/** Makes the release of this clone, which is what people run, with the packages of the clone. @returns its program */
export function releaseOfClone(): Promise<string> {
  release ??= makeRelease();
  return release;
}

async function makeRelease(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-release-'));
  guard({ folder });
  await buildRelease(folder);
  const packages = ['node_modules', 'server/node_modules'];
  await Promise.all(packages.map((path) => symlink(join(ROOT, path), join(folder, path))));
  return join(folder, 'server/latchkey.mjs');
}

/**
 * Starts the release of this clone on the server core.
 * @param profile a folder for a profile of its processor time, written when it ends; it is of the clone, to name its files
 */
export async function startLatchkey(env: Record<string, string>, profile?: string): Promise<Started> {
  if (profile !== undefined) {
    const flags = ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`];
    return startPinned([...HEAP, ...flags, CLONE, 'serve'], 'Ready in', { ...ALLOCATOR, ...env });
  }
  return startPinned([...HEAP, await releaseOfClone(), 'serve'], 'Ready in', { ...ALLOCATOR, ...env });
}

/** Starts a baseline that listens. @returns its address, its process and a function that stops it */
export async function startBaseline(
  name: string,
): Promise<{ url: string; pid: number | undefined; stop: () => Promise<void> }> {
  const { child, output } = await startPinned([BASELINES, name], 'listening ', {});
  const url = `http://127.0.0.1:${/listening (\d+)/.exec(output)?.[1]}`;
  return { url, pid: child.pid, stop: () => stop(child) };
}

/** What a baseline reached: operations per second, and milliseconds of its processor time for each. */
export type BaselineResult = { rate: number; cpu: number };

/** Runs a baseline that measures itself. */
export async function runBaseline(name: string, env: Record<string, string> = {}): Promise<BaselineResult> {
  const { child, output } = await startPinned([BASELINES, name], 'cpu ', env);
  await stop(child);
  const [, rate, cpu] = /rate ([\d.]+) cpu ([\d.]+)/.exec(output) ?? [];
  return { rate: Number(rate), cpu: Number(cpu) };
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Resident memory of a process in megabytes. */
export async function residentMegabytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/** CPU time of a process in seconds; 0 if it has exited. Linux counts hundredths of a second (proc(5)). */
export async function processorSeconds(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}
