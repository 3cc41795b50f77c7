import type { Valkey } from 'iovalkey';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { type Db, type ReadDb, readOnly } from './db.ts';
import type { ChangeFeed } from './feed.ts';
import type { Keyring } from './keyring.ts';
import type { Part } from './part.ts';
import type { Measure } from './statements.ts';
import type { Tracer } from './trace.ts';

/** Parameters of Argon2id (RFC 9106 §3.1); memory in KiB. */
export type PasswordCost = { memoryCost: number; timeCost: number };

/** The parts of the process that work in a transaction may use: none of them opens a second connection. */
export type SystemInTx = {
  config: Config;
  log: Logger;
  clock: Clock;
  keyring: Keyring;
  feed: ChangeFeed;
  metrics: Registry;
  /** Null while traces are off. */
  tracer: Tracer | null;
  /** What the parts of the program contribute to each other. */
  parts: readonly Part[];
  /**
   * Argon2 parameters for tests that are not about hashing. No setting exists for it; only the test harness passes it.
   */
  testPasswordCost: PasswordCost | null;
};

const CONNECTIONS = Symbol('connections');

/** One running Latchkey process; reached through `ctx.system`. */
export type System = SystemInTx & {
  /** The database without a pooler in between, for connections that hold a session. */
  databaseUrl: string;
  /** Reads outside a transaction. */
  db: ReadDb;
  /** Cache reads over connections of their own, so that a transaction may wait for them. */
  lookups: ReadDb;
  [CONNECTIONS]: Connections;
};

/** The connections of a process. Only `platform/` and the start of the process use them. */
type Connections = {
  pool: pg.Pool;
  db: Db;
  lookupPool: pg.Pool;
  lookups: Db;
  /** For the change feed and the readiness, which must not wait for requests. */
  proofs: Db;
  /** For the queue of jobs, which listens. */
  jobs: pg.Pool;
  /** Counts limits, if configured. */
  valkey: Valkey | null;
  /** For statements that are sent to a pool directly. */
  measure: Measure;
};

/** Creates the system of a process. */
export function makeSystem(parts: SystemInTx, databaseUrl: string, connections: Connections): System {
  const { db, lookups } = connections;
  return { ...parts, databaseUrl, db: readOnly(db), lookups: readOnly(lookups), [CONNECTIONS]: connections };
}

/** The connections of a process: for starting transactions, counting limits, running jobs and shutting down. */
export function connectionsOf(system: System): Connections {
  return system[CONNECTIONS];
}

const wholes = new WeakMap<SystemInTx, System>();

function isWhole(system: SystemInTx): system is System {
  return CONNECTIONS in system;
}

/**
 * State of a part that lives as long as the process, such as a cache. It is created at first use.
 * @returns a function that finds the instance of a system
 */
export function perSystem<T>(make: (system: System) => T): (system: SystemInTx) => T {
  const instances = new WeakMap<System, T>();
  return (system) => {
    const whole = isWhole(system) ? system : wholes.get(system);
    if (!whole) throw new Error('The system of a transaction comes from transaction().');
    const known = instances.get(whole);
    if (known !== undefined) return known;
    const fresh = make(whole);
    instances.set(whole, fresh);
    return fresh;
  };
}

/** The part of a system that is visible in transactions: one object for all of them. */
export const withoutConnections = perSystem((system): SystemInTx => {
  const { config, log, clock, keyring, feed, metrics, tracer, parts, testPasswordCost } = system;
  const inTx = { config, log, clock, keyring, feed, metrics, tracer, parts, testPasswordCost };
  wholes.set(inTx, system);
  return inTx;
});
