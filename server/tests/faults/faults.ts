import { globSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pgbouncerVersion, startPgbouncer } from '#tests/pgbouncer.ts';
import { embeddedDiskFull } from './embedded.ts';
import { type Fault, NO_MOUNT } from './fault.ts';
import { waitUntil } from './wait.ts';

const ROLES = ['auth', 'api', 'worker'] as const;

/** Processes of each role end by a signal and start again, one after the other. */
const ended = (signal: 'SIGKILL' | 'SIGTERM', which: 'one' | 'every', long?: true): Fault => ({
  name: `${which} process of auth, api and worker ended in turn (${signal})`,
  ...(long && { long }),
  // A balancer hides a process that drains.
  ...(signal === 'SIGTERM' && { seamless: true }),
  run: async ({ fleet }) => {
    for (const member of ROLES.flatMap((role) => fleet.of(role).slice(0, which === 'one' ? 1 : undefined))) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      await fleet.end(member, signal);
      await pause(500);
      await fleet.start(member);
      await waitUntil(() => fleet.isReady());
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
  long: true,
  run: async ({ fleet, primary }) => {
    const [leader, other] = fleet.of('worker');
    if (!leader || !other) throw new Error('There must be two workers.');
    // While the other is away, the first leads.
    await fleet.end(other, 'SIGTERM');
    await fleet.start(other);
    leader.child?.kill('SIGSTOP');
    const began = performance.now();
    const [newest] = await primary.query<{ id: string }>('select max(id) as id from events');
    await waitUntil(async () => {
      const [row] = await primary.query<{ numbered: boolean }>(
        'select exists (select from events where sequence is not null and id > $1) as numbered',
        [newest?.id],
      );
      return row?.numbered ?? false;
    });
    const seconds = (performance.now() - began) / 1_000;
    leader.child?.kill('SIGCONT');
    return `the other numbers events after ${seconds.toFixed(1)} s`;
  },
};

const frozenProcess: Fault = {
  name: 'one process of auth and api each frozen for 20 s',
  long: true,
  run: async ({ fleet }) => {
    const members = [fleet.of('auth')[0], fleet.of('api')[0]];
    for (const member of members) member?.child?.kill('SIGSTOP');
    await pause(20_000);
    for (const member of members) member?.child?.kill('SIGCONT');
    return undefined;
  },
};

/** The primary is killed, or is frozen and killed later, and its synchronous standby is promoted. */
const promoted = (how: 'killed' | 'frozen'): Fault => ({
  name: `primary ${how}, standby promoted`,
  long: true,
  run: async (site) => {
    const { primary, spare } = site;
    await primary.addStandby(spare);
    await pause(1_000);
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
const connectionLimit: Fault = {
  name: 'connection limit reached for 5 s, all connections ended',
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
    const until = performance.now() + 5_000;
    while (performance.now() < until) {
      // biome-ignore lint/performance/noAwaitInLoops: until none is left
      await Promise.allSettled(Array.from({ length: 40 }, fill));
      await taken[0]?.query(end);
    }
    await Promise.all(taken.map((client) => client.end()));
    return `${taken.length} taken`;
  },
};

const readOnly: Fault = {
  name: 'database read-only for 5 s',
  run: async ({ primary }) => {
    const set = async (value: 'on' | 'off') => {
      await primary.query(`alter system set default_transaction_read_only = ${value}`);
      await primary.query('select pg_reload_conf()');
    };
    await set('on');
    await pause(5_000);
    await set('off');
    return undefined;
  },
};

const diskFull: Fault = {
  name: 'disk of the database full for 10 s',
  obstacle: ({ disk }) => (disk ? null : NO_MOUNT),
  run: async ({ disk, primary }) => {
    const before = primary.restarts;
    await disk?.fill(10_000);
    return `the server ended ${primary.restarts - before} times`;
  },
};

const [fakeTime] = globSync('/usr/lib/*/faketime/libfaketime.so.1');

const clockSkew: Fault = {
  name: 'clocks of one auth and one api process 10 minutes ahead, then behind',
  long: true,
  obstacle: () => (fakeTime === undefined ? 'libfaketime is not installed' : null),
  run: async ({ fleet }) => {
    const members = [...fleet.of('auth').slice(0, 1), ...fleet.of('api').slice(0, 1)];
    const restart = async (changes: Record<string, string>) => {
      await Promise.all(members.map((member) => fleet.end(member, 'SIGTERM')));
      await Promise.all(members.map((member) => fleet.start(member, changes)));
      await waitUntil(() => fleet.isReady());
    };
    for (const offset of ['+600', '-600']) {
      // biome-ignore lint/performance/noAwaitInLoops: one offset after the other
      await restart({ LD_PRELOAD: fakeTime ?? '', FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' });
      await pause(3_000);
    }
    await restart({});
    return undefined;
  },
};

/** A process refuses a pooler in transaction mode, and serves behind one in session mode. */
const pooler: Fault = {
  name: 'PgBouncer in transaction mode refused, in session mode restarted',
  long: true,
  obstacle: () => (pgbouncerVersion() === null ? 'PgBouncer is not installed' : null),
  run: async ({ fleet, primary }) => {
    const [member] = fleet.of('api');
    if (!member) throw new Error('There must be an API process.');
    await fleet.end(member, 'SIGTERM');
    const transaction = await startPgbouncer(primary.url, 'transaction');
    const isRefused = !(await fleet.start(member, { DATABASE_URL: transaction.url }));
    await transaction.stop();
    if (!isRefused) throw new Error('A process served behind a pooler in transaction mode.');
    const session = await startPgbouncer(primary.url, 'session');
    await fleet.start(member, { DATABASE_URL: session.url });
    await waitUntil(() => fleet.isReady());
    await pause(1_000);
    await session.stop();
    await pause(1_000);
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
  ended('SIGTERM', 'every', true),
  frozenLeader,
  frozenProcess,
  gone('SIGINT', 2),
  gone('SIGQUIT', 30, true),
  frozen(8),
  frozen(60, true),
  locked(6),
  locked(25, true),
  connectionLimit,
  readOnly,
  pooler,
  clockSkew,
  diskFull,
  embeddedDiskFull,
  promoted('killed'),
  promoted('frozen'),
];
