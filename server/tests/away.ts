import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { openPool } from '#platform/connections.ts';
import { openDb } from '#platform/db.ts';
import { measureStatements } from '#platform/statements.ts';
import { connectionsOf, makeSystem, type System } from '#platform/system.ts';

/** The same system with a database that can't be reached, for one test. */
export function withoutDatabase(t: TestContext, system: System): System {
  const log = pino({ level: 'silent' });
  const pool = openPool('postgres://nobody@127.0.0.1:1/none', { size: 1, limits: null, log, instance: null });
  t.after(() => pool.end());
  const db = openDb(pool, measureStatements(new Registry(), null));
  return makeSystem(system, system.databaseUrl, { ...connectionsOf(system), db, proofs: db });
}
