import { globSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pgbouncerVersion, startPgbouncer } from '#tests/pgbouncer.ts';
import { embeddedDiskFull } from './embedded.ts';
import { type Fault, NO_MOUNT } from './fault.ts';
import { expectSoon } from './wait.ts';

/** A process of each role ends by a signal and starts again; then the others, for `every`. */
const ended = (signal: 'SIGKILL' | 'SIGTERM', which: 'one' | 'every', long?: true): Fault => ({
  name: `${which} process of auth, api and worker ${signal === 'SIGKILL' ? 'killed' : 'stopped'} (${signal})`,
  ...(long && { long }),
  // A balancer hides a process that drains.
  ...(signal === 'SIGTERM' && { seamless: true }),
  run: async ({ fleet }) => {
    for (const number of which === 'one' ? [1] : [1, 2]) {
      const members = fleet.members.filter((member) => member.number === number && member.role !== 'status');
      // biome-ignore lint/performance/noAwaitInLoops: the others serve meanwhile
      await Promise.all(members.map((member) => fleet.end(member, signal)));
      await Promise.all(members.map((member) => fleet.start(member)));
      await expectSoon('the fleet is ready', () => fleet.isReady());
    }
    return undefined;
  },
});

const frozen = (seconds: number, long?: true): Fault => ({
  name: `database frozen for ${seconds} s`,
  ...(long && { long }),
  run: async ({ primary }) => {
    primary.signal('SIGSTOP');
    await pause(seconds * 1_000);
    primary.signal('SIGCONT');
    return undefined;
  },
});

const gone = (signal: 'SIGINT' | 'SIGQUIT', seconds: number, long?: true): Fault => ({
  name: `database stopped (${signal === 'SIGINT' ? 'fast' : 'immediate'}), back after ${seconds} s`,
  ...(long && { long }),
  run: async ({ primary }) => {
    await primary.stop(signal);
    await pause(seconds * 1_000);
    await primary.start();
    return undefined;
  },
});

const locked = (seconds: number, long?: true): Fault => ({
  name: `a table locked for ${seconds} s`,
  ...(long && { long }),
  run: async ({ primary }) => {
    const client = new pg.Client({ connectionString: primary.url });
    await client.connect();
    await client.query('begin');
    await client.query('lock table events in access exclusive mode');
    await pause(seconds * 1_000);
    await client.query('rollback');
    await client.end();
    return undefined;
  },
});

/** The worker that numbers events is frozen, so the other worker must take over. */
const frozenLeader: Fault = {
  name: 'process that numbers events frozen',
  run: async ({ fleet }) => {
    const workers = fleet.of('worker');
    let leader = workers[0];
    await expectSoon('one of two workers leads', async () => {
      const leads = await Promise.all(workers.map((worker) => fleet.leads(worker)));
      leader = workers[leads.indexOf(true)];
      return leader !== undefined;
    });
    leader?.child?.kill('SIGSTOP');
    const began = performance.now();
    const others = workers.filter((worker) => worker !== leader);
    await expectSoon('another leads', async () =>
      (await Promise.all(others.map((one) => fleet.leads(one)))).includes(true),
    );
    const seconds = (performance.now() - began) / 1_000;
    leader?.child?.kill('SIGCONT');
    return `the other leads after ${seconds.toFixed(1)} s`;
  },
};

const frozenProcess = (seconds: number, long?: true): Fault => ({
  name: `one process of auth and api each frozen for ${seconds} s`,
  ...(long && { long }),
  run: async ({ fleet }) => {
    const members = [fleet.of('auth')[0], fleet.of('api')[0]];
    for (const member of members) member?.child?.kill('SIGSTOP');
    await pause(seconds * 1_000);
    for (const member of members) member?.child?.kill('SIGCONT');
    return undefined;
  },
});

/** The primary is killed, or is frozen and killed later, and its synchronous standby is promoted. */
const promoted = (how: 'killed' | 'frozen', long?: true): Fault => ({
  name: `primary ${how}, standby promoted`,
  ...(long && { long }),
  run: async (site) => {
    const { primary, spare } = site;
    await primary.addStandby(spare);
    if (how === 'killed') await primary.kill();
    else primary.signal('SIGSTOP');
    await spare.promote();
    site.primary = spare;
    site.spare = primary;
    if (how === 'killed') return undefined;
    await pause(15_000);
    await primary.kill();
    return undefined;
  },
});

/** Other programs take every connection that the server allows. */
const connectionLimit = (seconds: number): Fault => ({
  name: `connection limit reached for ${seconds} s, all connections ended`,
  run: async ({ primary }) => {
    const taken: pg.Client[] = [];
    const fill = async (): Promise<void> => {
      const client = new pg.Client({ connectionString: primary.url });
      client.on('error', () => undefined);
      await client.connect();
      taken.push(client);
    };
    await fill();
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'latchkey%'`;
    await taken[0]?.query(end);
    const until = performance.now() + seconds * 1_000;
    while (performance.now() < until) {
      // biome-ignore lint/performance/noAwaitInLoops: until none is left
      await Promise.allSettled(Array.from({ length: 40 }, fill));
      await taken[0]?.query(end);
    }
    await Promise.all(taken.map((client) => client.end()));
    return `${taken.length} taken`;
  },
});

const readOnly = (seconds: number): Fault => ({
  name: `database read-only for ${seconds} s`,
  run: async ({ primary }) => {
    const set = async (value: 'on' | 'off') => {
      await primary.query(`alter system set default_transaction_read_only = ${value}`);
      await primary.query('select pg_reload_conf()');
    };
    await set('on');
    await pause(seconds * 1_000);
    await set('off');
    return undefined;
  },
});

const diskFull = (seconds: number): Fault => ({
  name: `disk of the database full for ${seconds} s`,
  obstacle: ({ disk }) => (disk ? null : NO_MOUNT),
  run: async ({ disk, primary, query }) => {
    const before = primary.restarts;
    await disk?.fill(seconds * 1_000, query);
    return `the server ended ${primary.restarts - before} times`;
  },
});

const [fakeTime] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1');

/** @param auth how many seconds the clock of an auth process is ahead */
const clockSkew = (auth: number, api: number, long?: true): Fault => ({
  name: `clock of an auth process ${auth / 60} minutes off, of an api process ${api / 60}`,
  ...(long && { long }),
  obstacle: () => (fakeTime === undefined ? 'libfaketime is not installed' : null),
  run: async ({ fleet }) => {
    const restart = async (role: 'auth' | 'api', seconds: number) => {
      const [member] = fleet.of(role);
      if (!member) throw new Error(`There must be a process with the role ${role}.`);
      const changes = { LD_PRELOAD: fakeTime ?? '', FAKETIME: seconds > 0 ? `+${seconds}` : String(seconds) };
      await fleet.end(member, 'SIGTERM');
      const settings = { ...changes, FAKETIME_DONT_FAKE_MONOTONIC: '1', NO_FAKE_STAT: '1' };
      await fleet.start(member, seconds === 0 ? {} : settings);
    };
    await Promise.all([restart('auth', auth), restart('api', api)]);
    await expectSoon('the fleet is ready', () => fleet.isReady());
    await pause(3_000);
    await Promise.all([restart('auth', 0), restart('api', 0)]);
    return undefined;
  },
});

/** A process refuses a pooler in transaction mode in one line, and serves behind one in session mode, which then ends. */
const pooler: Fault = {
  name: 'PgBouncer in transaction mode refused, in session mode ended',
  // A process is started four times.
  long: true,
  obstacle: () => (pgbouncerVersion() === null ? 'PgBouncer is not installed' : null),
  run: async ({ fleet, primary }) => {
    const [member] = fleet.of('api');
    if (!member) throw new Error('There must be an API process.');
    await fleet.end(member, 'SIGTERM');
    const transaction = await startPgbouncer(primary.url, 'transaction');
    const isRefused = !(await fleet.start(member, { DATABASE_URL: transaction.url }));
    await transaction.stop();
    const [reason = ''] = (await fleet.logOf(member)).trimEnd().split('\n').slice(-1);
    if (!isRefused || !reason.startsWith('A connection pooler in transaction mode'))
      throw new Error(
        `A process behind a pooler in transaction mode ${isRefused ? `ended with: ${reason}` : 'served'}.`,
      );
    const session = await startPgbouncer(primary.url, 'session');
    await fleet.start(member, { DATABASE_URL: session.url });
    await expectSoon('the fleet is ready behind the pooler', () => fleet.isReady());
    await session.stop();
    await expectSoon('the process without a database is not ready', async () => !(await fleet.isReady()));
    await fleet.end(member, 'SIGTERM');
    await fleet.start(member);
    return undefined;
  },
};

/** In the order of a run. */
export const FAULTS: readonly Fault[] = [
  { name: 'nothing', seamless: true, run: async () => pause(2_000, undefined) },
  ended('SIGKILL', 'one'),
  ended('SIGKILL', 'every', true),
  ended('SIGTERM', 'one'),
  ended('SIGTERM', 'every', true),
  frozenLeader,
  frozenProcess(6),
  frozenProcess(20, true),
  gone('SIGINT', 2),
  gone('SIGQUIT', 30, true),
  frozen(4),
  frozen(60, true),
  locked(5),
  locked(25, true),
  connectionLimit(3),
  readOnly(3),
  pooler,
  clockSkew(600, -600, true),
  clockSkew(-600, 600, true),
  diskFull(6),
  promoted('killed'),
  promoted('frozen', true),
  embeddedDiskFull(6),
];
