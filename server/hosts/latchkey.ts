import { randomBytes } from 'node:crypto';
import type { Valkey } from 'iovalkey';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { ensureSigningKeys, followDataKeys, openDataKeys } from '#keys';
import { setUpConsole, setUpLink } from '#operators';
import { advisoryLocks, takeLock } from '#platform/advisory-locks.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { connectAlone, openLookups, openPool, openProofs, type TimeLimits } from '#platform/connections.ts';
import { openDb } from '#platform/db.ts';
import { ChangeFeed } from '#platform/feed.ts';
import { Keyring } from '#platform/keyring.ts';
import { sealedPlaces } from '#platform/sealed.ts';
import { measureStatements } from '#platform/statements.ts';
import { connectionsOf, makeSystem, type PasswordCost, type System } from '#platform/system.ts';
import type { Tracer } from '#platform/trace.ts';
import { startCounting, startMonitor, startProjectViews, startViews } from '#status';
import { allWorkspaces } from '#tenancy';
import { prepareDatabase } from './database.ts';
import { createDemo, type Demo, writeDemo } from './demo.ts';
import { Hosts } from './hosts.ts';
import { registerMetrics } from './metrics.ts';
import { PARTS } from './parts.ts';
import { JOB_CONNECTIONS, startWorker } from './worker.ts';

/** What a start needs. */
export type StartOptions = {
  config: Config;
  /** The database without a pooler in between. */
  databaseUrl: string;
  /** The first encrypts, all decrypt. */
  secrets: readonly string[];
  log: Logger;
  progress: (line: string) => void;
  clock?: Clock;
  testPasswordCost?: PasswordCost;
};

export type Latchkey = {
  system: System;
  /** The demo workspace, if this start created it. */
  demo: Demo | null;
  /** The link that creates the installation's first owner; null if there is one. */
  setUpLink: string | null;
  /** Reports that the process is no longer ready, and keeps serving until load balancers notice. */
  drain: () => Promise<void>;
  /** Stops the hosts (requests in flight finish), then the worker, then the connections. */
  stop: () => Promise<void>;
};

/** Hosts and worker each get this long, so that a stop takes less than ten seconds (BI-6). */
const STOP_MS = 4_500;

/** Migrates the database, creates missing keys and the demo, and starts the chosen roles. */
export async function startLatchkey(options: StartOptions): Promise<Latchkey> {
  // A status-only process has to start while everything else is down.
  const alone = options.config.roles.join() === 'status';
  if (!alone) await prepareDatabase(options);
  const tracer =
    options.config.traces === null ? null : (await import('#platform/opentelemetry.ts')).openTracer(options);
  const system = await openSystem(options, { limits: options.config.database, tracer });
  registerMetrics(system);
  const parts: Part[] = [
    { stop: () => tracer?.stop() },
    { stop: () => closeConnections(system) },
    { stop: () => system.feed.stop() },
  ];
  const hosts = new Hosts(system);
  const stop = async () => {
    // Stops in reverse order.
    for (const part of parts.toReversed()) {
      // biome-ignore lint/performance/noAwaitInLoops: hosts before the worker, the worker before the connections
      await within(STOP_MS, part.stop(), options.log);
    }
  };
  try {
    if (!alone) await openDataKeys(system);
    followDataKeys(system);
    await system.feed.start();
    if (!alone) await ensureSigningKeys(system);
    const demo = alone ? null : await demoOfFirstStart(system, options.progress);
    await startViews(system);
    await startProjectViews(system);
    parts.push(startCounting(system));
    if (system.config.roles.includes('worker'))
      parts.push(await startWorker(system, (databaseUrl, work) => withSystem({ ...options, databaseUrl }, work)));
    parts.push(hosts);
    await hosts.open();
    parts.push(await startMonitor(system));
    return { system, demo, setUpLink: alone ? null : await setUpLink(system), drain: () => hosts.drain(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Opens what a command needs to work on the installation's data, without serving requests, and closes it afterwards.
 */
export async function withSystem<T>(
  options: Omit<StartOptions, 'progress'>,
  work: (system: System) => Promise<T>,
): Promise<T> {
  const system = await openSystem(options, { limits: null, tracer: null });
  try {
    return await work(system);
  } finally {
    await closeConnections(system);
  }
}

async function closeConnections(system: System): Promise<void> {
  const { pool, lookups, proofs, jobs, valkey } = connectionsOf(system);
  valkey?.disconnect();
  await Promise.all([pool.end(), lookups.destroy(), proofs.destroy(), jobs === pool ? undefined : jobs.end()]);
}

/** Something started that has to be stopped. */
type Part = { stop: () => unknown };

/** If a process that creates the demo is frozen, the next one takes over. */
const MAX_SILENCE_MS = 120_000;

/** Creates the demo in development mode, unless there are workspaces already. Safe in several processes. */
async function demoOfFirstStart(system: System, progress: (line: string) => void): Promise<Demo | null> {
  const { scope } = await setUpConsole(system);
  const isFirst = async () => (await allWorkspaces(system.db)).every((id) => id === scope.workspaceId);
  if (system.config.mode !== 'development' || !(await isFirst())) return null;
  const client = await connectAlone(system.databaseUrl, { name: 'latchkey-first-start', silenceMs: MAX_SILENCE_MS });
  try {
    const text = 'Waiting for another process that creates the demo…';
    await takeLock(client, advisoryLocks.firstStart, { text, tell: progress });
    if (!(await isFirst())) return null;
    const demo = await createDemo(system, 'operator@demo.example', { organizations: true });
    await writeDemo(system, demo);
    return demo;
  } finally {
    await client.end();
  }
}

async function openSystem(
  { config, databaseUrl, secrets, log, clock = systemClock, testPasswordCost }: Omit<StartOptions, 'progress'>,
  { limits, tracer }: { limits: TimeLimits; tracer: Tracer | null },
): Promise<System> {
  const valkey = config.valkeyUrl === null ? null : await openValkey(config.valkeyUrl, log);
  // Commands work without the pooler: they hold sessions.
  const direct = config.databaseDirectUrl === null || limits === null;
  const poolUrl = (direct ? null : config.databaseUrl) ?? databaseUrl;
  const tag = randomBytes(3).toString('base64url');
  const instance = limits === null ? null : tag;
  // A pooler keeps the names of processes that have ended.
  const pool = openPool(poolUrl, { size: config.database.pool, limits, log, instance: direct ? instance : null });
  const lookups = openLookups(poolUrl, { limits, log });
  const metrics = new Registry();
  const measure = measureStatements(metrics, tracer);
  const proofs = openDb(openProofs(poolUrl, { limits, log }), measure);
  const notify = (channel: string, payload: string) => sql`select pg_notify(${channel}, ${payload})`.execute(proofs);
  return makeSystem(
    {
      config,
      log,
      clock,
      keyring: new Keyring(
        secrets,
        sealedPlaces(PARTS).map(([purpose]) => purpose),
      ),
      feed: new ChangeFeed(databaseUrl, notify, { log, instance: tag }),
      metrics,
      tracer,
      parts: PARTS,
      testPasswordCost: testPasswordCost ?? null,
    },
    databaseUrl,
    {
      pool,
      db: openDb(pool, measure),
      lookupPool: lookups,
      lookups: openDb(lookups, measure),
      proofs,
      jobs: direct ? pool : openPool(databaseUrl, { size: JOB_CONNECTIONS, limits, log, instance }),
      valkey,
      measure,
    },
  );
}

/** Valkey counts as unreachable if a command has no response for this long. */
const VALKEY_MS = 1_000;

/** Fails fast while Valkey is unreachable, so that PostgreSQL takes over at once. */
async function openValkey(url: string, log: Logger): Promise<Valkey> {
  const { Valkey } = await import('iovalkey');
  const valkey = new Valkey(url.replace(/^valkey/, 'redis'), {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    socketTimeout: VALKEY_MS,
  });
  valkey.on('error', (error: Error) => log.warn({ err: error }, 'Valkey is unreachable: PostgreSQL counts the limits'));
  return valkey;
}

async function within(milliseconds: number, work: unknown, log: Logger): Promise<void> {
  const timeout = new Promise<void>((resolve) => {
    setTimeout(() => {
      log.warn('not everything finished in time; the rest goes back to the queue');
      resolve();
    }, milliseconds).unref();
  });
  await Promise.race([work, timeout]);
}
