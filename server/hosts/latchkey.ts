import { Valkey } from 'iovalkey';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { ensureSigningKeys } from '#keys';
import { setUpConsole, setUpLink } from '#operators';
import { type Clock, systemClock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { type Environment, environments } from '#platform/ctx.ts';
import { openDb, openLookups, openPool } from '#platform/db.ts';
import { ChangeFeed } from '#platform/feed.ts';
import type { App } from '#platform/http.ts';
import { Keyring } from '#platform/keyring.ts';
import { migrate } from '#platform/migrate.ts';
import { connectionsOf, makeSystem, type PasswordCost, type System } from '#platform/system.ts';
import { startCounting, startMonitor, startViews } from '#status';
import { allWorkspaces } from '#tenancy';
import { createApiHost } from './api-host.ts';
import { createAuthHost } from './auth-host.ts';
import { createConsoleHost } from './console-host.ts';
import { createDemo, type Demo, writeDemo } from './demo.ts';
import { createInternalHost } from './internal-host.ts';
import { PARTS } from './parts.ts';
import { createStatusHost } from './status-host.ts';
import { createPlainFront, createTlsFront } from './tls.ts';
import { startWorker } from './worker.ts';

/** What a start needs. `secrets`: the first encrypts, all decrypt. */
export type StartOptions = {
  config: Config;
  databaseUrl: string;
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
  /** Stops the hosts (requests in flight finish), then the worker, then the connections. */
  stop: () => Promise<void>;
};

/** Hosts and worker each get this long, so that a stop takes less than ten seconds (BI-6). */
const STOP_MS = 4_500;

/** Migrates the database, creates missing keys and the demo, and starts the chosen roles. */
export async function startLatchkey(options: StartOptions): Promise<Latchkey> {
  // A status-only process has to start while everything else is down.
  const alone = options.config.roles.join() === 'status';
  if (!alone) await migrate(options.databaseUrl, options.progress);
  const system = openSystem(options);
  const connections = connectionsOf(system);
  const parts: Part[] = [
    { stop: () => connections.pool.end() },
    { stop: () => connections.lookups.destroy() },
    { stop: () => connections.valkey?.disconnect() },
    { stop: () => system.feed.stop() },
  ];
  const stop = async () => {
    // Stops in reverse order.
    for (const part of parts.toReversed()) {
      // biome-ignore lint/performance/noAwaitInLoops: hosts before the worker, the worker before the connections
      await within(STOP_MS, part.stop(), options.log);
    }
  };
  try {
    await system.feed.start();
    if (!alone) await ensureSigningKeys(system);
    const demo = alone ? null : await demoOfFirstStart(system);
    await startViews(system);
    parts.push(startCounting(system));
    if (system.config.roles.includes('worker')) parts.push(await startWorker(system));
    await openHosts(system, parts);
    parts.push(await startMonitor(system));
    return { system, demo, setUpLink: alone ? null : await setUpLink(system), stop };
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
  const system = openSystem(options);
  try {
    return await work(system);
  } finally {
    const { pool, lookups, valkey } = connectionsOf(system);
    valkey?.disconnect();
    await pool.end();
    await lookups.destroy();
  }
}

/** Something started that has to be stopped. */
type Part = { stop: () => unknown };

async function demoOfFirstStart(system: System): Promise<Demo | null> {
  const { scope } = await setUpConsole(system);
  if (system.config.mode !== 'development') return null;
  const isFirst = (await allWorkspaces(system.db)).every((id) => id === scope.workspaceId);
  if (!isFirst) return null;
  const demo = await createDemo(system, 'operator@demo.example');
  await writeDemo(system, demo);
  return demo;
}

function openSystem({
  config,
  databaseUrl,
  secrets,
  log,
  clock = systemClock,
  testPasswordCost,
}: Omit<StartOptions, 'progress'>): System {
  const pool = openPool(databaseUrl, log);
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  return makeSystem(
    {
      config,
      log,
      clock,
      keyring: new Keyring(secrets),
      feed: new ChangeFeed(databaseUrl, log),
      metrics,
      parts: PARTS,
      testPasswordCost: testPasswordCost ?? null,
    },
    databaseUrl,
    {
      pool,
      db: openDb(pool),
      lookups: openLookups(databaseUrl, log),
      valkey: config.valkeyUrl === null ? null : openValkey(config.valkeyUrl, log),
    },
  );
}

/** Fails fast while Valkey is unreachable, so that PostgreSQL takes over at once. */
function openValkey(url: string, log: Logger): Valkey {
  const valkey = new Valkey(url.replace(/^valkey/, 'redis'), { enableOfflineQueue: false, maxRetriesPerRequest: 1 });
  valkey.on('error', (error: Error) => log.warn({ err: error }, 'Valkey is away: PostgreSQL counts the limits'));
  return valkey;
}

/** A server that listens on a port. */
type Host = Pick<App, 'listen' | 'close' | 'server'>;

/** Starts the hosts of the chosen roles; each is added to `parts` as soon as it listens. */
async function openHosts(system: System, parts: Part[]): Promise<void> {
  const { roles, ports, host, acme } = system.config;
  const planned: [app: Host | Promise<Host>, port: number][] = [];
  const served = new Map<`${Environment}/${'auth' | 'api'}`, App>();
  for (const environment of environments) {
    for (const kind of ['auth', 'api'] as const) {
      if (!roles.includes(kind)) continue;
      // biome-ignore lint/performance/noAwaitInLoops: at most four
      const app = await (kind === 'auth' ? createAuthHost : createApiHost)(system, environment);
      served.set(`${environment}/${kind}`, app);
      planned.push([app, ports[environment][kind]]);
    }
  }
  if (acme && served.size > 0)
    planned.push([createTlsFront(system, served), acme.httpsPort], [createPlainFront(system), acme.httpPort]);
  if (roles.includes('console')) planned.push([createConsoleHost(system), ports.console]);
  else if (roles.includes('status')) planned.push([createStatusHost(system), ports.console]);
  const open: Host[] = [];
  let stopping = false;
  const internal = createInternalHost(system, () => stopping);
  parts.push({ stop: () => internal.close() });
  parts.push({
    stop: () => {
      stopping = true;
      return Promise.all(open.map(closeHost));
    },
  });
  await internal.listen({ host: '127.0.0.1', port: ports.internal });
  await Promise.all(
    planned.map(async ([creating, port]) => {
      const app = await creating;
      open.push(app);
      await app.listen({ host, port });
    }),
  );
}

/**
 * Closes a host: requests in flight finish. Also closes connections whose last response was sent meanwhile, which would
 * otherwise be kept alive.
 */
async function closeHost(app: Host): Promise<void> {
  const sweeping = setInterval(() => app.server.closeIdleConnections(), 25);
  await app.close();
  clearInterval(sweeping);
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
