import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Demo } from '#hosts';
import { freePortBase } from '#tests/ports.ts';
import { Balancer } from './balancer.ts';

export const ENTRY = fileURLToPath(new URL('../../latchkey.mjs', import.meta.url));
/** The one of the test run, so that a process starts in a second. */
export const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/latchkey-tests', import.meta.url));
/** Longer than a balancer takes to notice on a busy machine. */
const DRAIN_SECONDS = '3';
const RESTART_MS = 1_000;

/** How many processes of each role run. */
const PLANNED = { auth: 2, api: 2, worker: 2, status: 1 };
type Role = keyof typeof PLANNED;
const POOL: Record<Role, string> = { auth: '6', api: '6', worker: '4', status: '4' };

/** One Latchkey process. */
type Member = { role: Role; number: number; base: number; child: ChildProcess | null; isWanted: boolean };

/** Several Latchkey processes by role, behind a balancer per host. */
export class Fleet {
  readonly members: Member[] = [];
  /** How many times a process ended by itself and was started again. */
  countEnded = 0;
  readonly urls: Record<'auth' | 'api' | 'status', string> = { auth: '', api: '', status: '' };
  readonly #balancers: Balancer[] = [];
  readonly #folder: string;
  readonly #databaseUrl: string;

  constructor(folder: string, databaseUrl: string) {
    this.#folder = folder;
    this.#databaseUrl = databaseUrl;
  }

  /** Starts all processes. @returns the demo of the first start */
  async open(): Promise<Demo> {
    for (const role of ['auth', 'api', 'worker', 'status'] as const)
      for (let number = 1; number <= PLANNED[role]; number += 1) {
        // biome-ignore lint/performance/noAwaitInLoops: each takes a block of ports
        this.members.push({ role, number, base: await freePortBase(), child: null, isWanted: true });
      }
    const balance = async (role: 'auth' | 'api' | 'status', offset: number) => {
      const backends = this.of(role).map(({ base }) => ({ port: base + offset, internalPort: base + 90 }));
      const balancer = new Balancer(backends);
      this.#balancers.push(balancer);
      this.urls[role] = `http://localhost:${await balancer.listen()}`;
    };
    await balance('auth', 1);
    await balance('api', 2);
    await balance('status', 0);
    // The first creates the schema and the demo, for which the others would wait.
    const [first, ...others] = this.members;
    if (first) await this.start(first);
    await Promise.all(others.map((member) => this.start(member)));
    const files = this.members.map((member) => readFile(join(this.#dataDir(member), 'demo.json'), 'utf8'));
    return JSON.parse(await Promise.any(files));
  }

  of(role: Role): Member[] {
    return this.members.filter((member) => member.role === role);
  }

  /** The environment of a process; `changes` replace settings. */
  environmentOf(member: Member, changes: Record<string, string> = {}): Record<string, string> {
    const { auth, api, status } = this.urls;
    return {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: CACHE,
      DATABASE_URL: this.#databaseUrl,
      LATCHKEY_DATABASE_POOL: POOL[member.role],
      LATCHKEY_DATA_DIR: this.#dataDir(member),
      LATCHKEY_DRAIN_SECONDS: DRAIN_SECONDS,
      LATCHKEY_PORT_BASE: String(member.base),
      LATCHKEY_ROLES: member.role,
      LATCHKEY_SECRET: 'a secret of the fault suite that is long enough',
      LATCHKEY_TRUSTED_PROXIES: '127.0.0.1',
      LATCHKEY_CONSOLE_URL: status,
      LATCHKEY_TEST_AUTH_URL: auth,
      LATCHKEY_TEST_API_URL: api,
      LATCHKEY_PRODUCTION_AUTH_URL: 'http://auth.localhost',
      LATCHKEY_PRODUCTION_API_URL: 'http://api.localhost',
      ...changes,
    };
  }

  /** Starts a process. @returns whether it became ready; if not, it has ended */
  async start(member: Member, changes: Record<string, string> = {}): Promise<boolean> {
    const log = openSync(join(this.#folder, `${member.role}-${member.number}.log`), 'a');
    const child = spawn(process.execPath, [ENTRY, 'serve'], {
      stdio: ['ignore', 'pipe', log],
      env: this.environmentOf(member, changes),
    });
    closeSync(log);
    member.child = child;
    member.isWanted = true;
    const ended = once(child, 'exit');
    const ready = new Promise<boolean>((resolve) => {
      child.stdout?.on('data', (chunk: Buffer) => String(chunk).includes('Ready in') && resolve(true));
    });
    const isReady = await Promise.race([ready, ended.then(() => false)]);
    const replace = () => (member.isWanted ? this.#replace(member, changes) : undefined);
    if (isReady) ended.then(replace).catch(() => undefined);
    return isReady;
  }

  /** Starts a process again that has ended by itself, as a service manager does. */
  async #replace(member: Member, changes: Record<string, string>): Promise<void> {
    this.countEnded += 1;
    // biome-ignore lint/performance/noAwaitInLoops: one attempt after the other
    while (member.isWanted && !(await this.start(member, changes))) await pause(RESTART_MS);
  }

  /** Ends a process by a signal, and waits for its end. */
  async end(member: Member, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { child } = member;
    member.isWanted = false;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** True when the balancers use every process that serves, and every worker says that it is ready. */
  async isReady(): Promise<boolean> {
    const behind = this.#balancers.reduce((sum, { readyCount }) => sum + readyCount, 0);
    if (behind < PLANNED.auth + PLANNED.api + PLANNED.status) return false;
    const workers = this.of('worker').map(async ({ base }) => {
      const response = await fetch(`http://127.0.0.1:${base + 90}/readyz`, { signal: AbortSignal.timeout(5_000) });
      await response.text();
      return response.ok;
    });
    return (await Promise.allSettled(workers)).every((one) => one.status === 'fulfilled' && one.value);
  }

  /** True for the process that numbers events. */
  async leads({ base }: Member): Promise<boolean> {
    const response = await fetch(`http://127.0.0.1:${base + 90}/metrics`, { signal: AbortSignal.timeout(5_000) });
    return /^latchkey_leader\{work="events"\} 1$/m.test(await response.text());
  }

  /** Ends all processes at once. */
  close(): void {
    for (const member of this.members) {
      member.isWanted = false;
      member.child?.kill('SIGKILL');
    }
    for (const balancer of this.#balancers) balancer.close();
  }

  /** What a process has written to its log. */
  logOf({ role, number }: Member): Promise<string> {
    return readFile(join(this.#folder, `${role}-${number}.log`), 'utf8');
  }

  #dataDir({ role, number }: Member): string {
    return join(this.#folder, `${role}-${number}`);
  }
}
