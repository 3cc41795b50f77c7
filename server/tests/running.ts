import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createDemo, type Demo, type Latchkey, startLatchkey } from '#hosts';
import type { Clock } from '#platform/clock.ts';
import { loadConfig } from '#platform/config.ts';
import { installationScope, systemCtx, transaction } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import { observeSecondConnections } from '#platform/held-connections.ts';
import { SOURCE_COUNTERS, sourceCounts } from '#platform/http-sources.ts';
import { createLog } from '#platform/log.ts';
import { sourceOf } from '#platform/source.ts';
import { connectionsOf, type PasswordCost, type System } from '#platform/system.ts';
import { freePortBase } from './ports.ts';
import { cloneDatabase } from './postgres.ts';
import { watchScoping } from './scoping.ts';

/** Gives tests direct access to the database, over connections that no request waits for. */
export type TestSystem = System & { pool: pg.Pool };

/** A Latchkey of a file's own. */
export type TestOptions = {
  /** Why the file can't share a Latchkey, if no other option says it. */
  own?: string;
  clock?: Clock;
  settings?: Record<string, string>;
  databaseUrl?: string;
  /** Receives every line of the log; the level is a setting. */
  log?: (line: string) => void;
  /** Argon2 parameters, the cheapest by default. `full`: those of the product, for tests about hashing. */
  passwordCost?: PasswordCost | 'full';
};

/** A running Latchkey, as one file uses it. */
type Running = { system: TestSystem; demo: Demo; databaseUrl: string; stop: () => Promise<void> };

/** Longer than anything takes on a busy machine. */
export const MAX_WAIT_MS = 120_000;

/** The cheapest Argon2: a test run hashes thousands of passwords. */
const CHEAPEST: PasswordCost = { memoryCost: 8, timeCost: 1 };

/** Starts a whole Latchkey on a database of its own, with the demo workspace. */
export async function startOwn(options: TestOptions): Promise<Running> {
  const database = options.databaseUrl
    ? { url: options.databaseUrl, drop: async () => undefined }
    : await cloneDatabase(templateUrl());
  const dataDir = await mkdtemp(join(tmpdir(), 'latchkey-data-'));
  const expectSound = watch();
  const latchkey = await start(options, database.url, dataDir);
  const { demo } = latchkey;
  assert.ok(demo, 'a test database starts empty');
  const system = testSystemOf(latchkey);
  return {
    system,
    demo,
    databaseUrl: database.url,
    stop: async () => {
      await system.pool.end();
      await latchkey.stop();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
      expectSound();
    },
  };
}

async function start(options: TestOptions, databaseUrl: string, dataDir: string): Promise<Latchkey> {
  const config = loadConfig({
    LATCHKEY_PORT_BASE: String(await freePortBase()),
    LATCHKEY_SECRET: 'a secret of the tests that is long enough',
    LATCHKEY_DATA_DIR: dataDir,
    LATCHKEY_LOG_LEVEL: 'silent',
    LATCHKEY_TRUSTED_PROXIES: '127.0.0.1',
    // Without `status`: measurements emit events, which only tests of the status expect.
    LATCHKEY_ROLES: 'auth,api,console,worker',
    DATABASE_URL: databaseUrl,
    // On a busy machine a statement takes longer than the product allows.
    LATCHKEY_DATABASE_STATEMENT_SECONDS: '120',
    LATCHKEY_DATABASE_LOCK_SECONDS: '120',
    ...options.settings,
  });
  const { passwordCost = CHEAPEST } = options;
  const latchkey = await startLatchkey({
    config,
    databaseUrl,
    secrets: config.secrets,
    log: createLog(config, options.log && { write: options.log }),
    progress: () => undefined,
    ...(options.clock && { clock: options.clock }),
    ...(passwordCost !== 'full' && { testPasswordCost: passwordCost }),
  });
  // On a busy machine, many requests at once may wait longer for a connection than the product lets them.
  // This hides no deadlock: `watch` fails a file whose work asks for a second connection.
  connectionsOf(latchkey.system).pool.options.connectionTimeoutMillis = MAX_WAIT_MS;
  return latchkey;
}

function testSystemOf({ system }: Latchkey): TestSystem {
  // Without statistics, which nobody gathers here, tables that other files filled would be scanned. It concerns only the
  // statements of tests: those of the product are planned as usual.
  const pool = new pg.Pool({
    connectionString: system.databaseUrl,
    max: 4,
    options: '-c enable_seqscan=off',
    application_name: 'test',
  });
  // A test may end all connections; the next query opens another.
  pool.on('error', () => undefined);
  return Object.assign(system, { pool });
}

/**
 * Watches statements and connections.
 * @returns fails if one broke a rule, and ends the watch
 */
function watch(): () => void {
  const unscoped = watchScoping();
  const second = new Set<string>();
  const unwatched = observeSecondConnections((stack) => second.add(stack));
  return () => {
    unwatched();
    assert.deepEqual(unscoped.stop(), [], 'every statement on a tenant table names the workspace');
    assert.deepEqual([...second], [], 'no connection is asked for by work that holds one');
  };
}

/** The Latchkey that the files of this process share. It ends with the process, its database with the test run. */
let shared: Promise<{ system: TestSystem; databaseUrl: string }> | null = null;
let borrowed = false;

/** The shared Latchkey with a new demo workspace, whose first project is the default. One file at a time has it. */
export async function borrowShared(): Promise<Running> {
  assert.ok(!borrowed, 'two at once: one of them says why it needs a Latchkey of its own');
  borrowed = true;
  const giveBack = () => {
    borrowed = false;
  };
  // A file that fails may not stop it; the end of a file emits this.
  process.once('beforeExit', giveBack);
  shared ??= startShared();
  const { system, databaseUrl } = await shared;
  const expectSound = watch();
  await removeFormerFile(system);
  return {
    system,
    demo: await createDemo(system, `operator.${crypto.randomUUID()}@demo.example`, { organizations: false }),
    databaseUrl,
    stop: async () => {
      giveBack();
      process.off('beforeExit', giveBack);
      expectSound();
    },
  };
}

async function startShared(): Promise<{ system: TestSystem; databaseUrl: string }> {
  const [{ url }, dataDir] = await Promise.all([
    cloneDatabase(templateUrl()),
    mkdtemp(join(tmpdir(), 'latchkey-data-')),
  ]);
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  return { system: testSystemOf(await start({}, url, dataDir)), databaseUrl: url };
}

/** Where the requests of tests come from. */
const SOURCE = sourceOf({ ip: '127.0.0.1' });

/** Resets the counters and leaves no default project, as for the first file of the process. */
async function removeFormerFile(system: TestSystem): Promise<void> {
  for (const counter of ['begin', 'proof', 'password', 'client'] as const)
    sourceCounts(system).add(counter, SOURCE, -SOURCE_COUNTERS[counter].points);
  await system.pool.query('delete from rate_limits');
  await system.pool.query('delete from default_projects /* all workspaces */');
  const ctx = systemCtx(system, installationScope('test'), 'test', 'test');
  await transaction(ctx, (tx) => announce(tx, { topic: 'project', key: '*' }));
}

function templateUrl(): string {
  const url = process.env['LATCHKEY_TEST_DATABASE_URL'];
  assert.ok(url, 'Run tests with: npm test, or npx node server/tests/run.ts FILE');
  return url;
}
