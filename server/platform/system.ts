import type { Valkey } from 'iovalkey';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Db } from './db.ts';
import type { ChangeFeed } from './feed.ts';
import type { Keyring } from './keyring.ts';

/** One running Latchkey process: what lives as long as it does. Reached through `ctx.system`. */
export type System = {
  config: Config;
  databaseUrl: string;
  log: Logger;
  clock: Clock;
  pool: pg.Pool;
  db: Db;
  /** Reads of caches, over connections of their own: a transaction may wait for them. */
  lookups: Db;
  keyring: Keyring;
  feed: ChangeFeed;
  metrics: Registry;
  /** Counts limits where one is configured. */
  valkey: Valkey | null;
};

/**
 * State of a part that lives as long as the process, such as a cache, made at first use.
 * @returns finds the one instance that belongs to a system
 */
export function perSystem<T>(make: (system: System) => T): (system: System) => T {
  const made = new WeakMap<System, T>();
  return (system) => {
    const known = made.get(system);
    if (known !== undefined) return known;
    const fresh = make(system);
    made.set(system, fresh);
    return fresh;
  };
}
