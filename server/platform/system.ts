import type { Valkey } from 'iovalkey';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Db } from './db.ts';
import type { ChangeFeed } from './feed.ts';
import type { Keyring } from './keyring.ts';

/** What work in a transaction reaches of the process: nothing that opens a second connection. */
export type SystemInTx = {
  config: Config;
  log: Logger;
  clock: Clock;
  keyring: Keyring;
  feed: ChangeFeed;
  metrics: Registry;
};

/** One running Latchkey process: what lives as long as it does. Reached through `ctx.system`. */
export type System = SystemInTx & {
  databaseUrl: string;
  pool: pg.Pool;
  db: Db;
  /** Reads of caches, over connections of their own: a transaction may wait for them. */
  lookups: Db;
  /** Counts limits where one is configured. */
  valkey: Valkey | null;
  /** The same system for work in a transaction. */
  inTx: SystemInTx;
};

/** The whole system of each system of a transaction. */
const wholes = new WeakMap<SystemInTx, System>();

/** Adds the system that transactions see. */
export function makeSystem(parts: Omit<System, 'inTx'>): System {
  const { config, log, clock, keyring, feed, metrics } = parts;
  const inTx = { config, log, clock, keyring, feed, metrics };
  const system = { ...parts, inTx };
  wholes.set(system, system).set(inTx, system);
  return system;
}

/**
 * State of a part that lives as long as the process, such as a cache, made at first use.
 * @returns finds the one instance that belongs to a system
 */
export function perSystem<T>(make: (system: System) => T): (system: SystemInTx) => T {
  const made = new WeakMap<SystemInTx, T>();
  return (system) => {
    const known = made.get(system);
    if (known !== undefined) return known;
    const whole = wholes.get(system);
    if (!whole) throw new Error('A system is made by makeSystem.');
    const fresh = made.get(whole) ?? make(whole);
    made.set(whole, fresh).set(system, fresh);
    return fresh;
  };
}
