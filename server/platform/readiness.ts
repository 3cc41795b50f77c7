import { acceptsWrites } from './db.ts';
import { connectionsOf, type System } from './system.ts';

const TIMEOUT_MS = 2_000;

/** The status page reports that the database is away; every other role needs the database. */
export async function readinessOf(system: System): Promise<{ database?: boolean; feed?: boolean }> {
  if (system.config.roles.join() === 'status') return {};
  return { database: await acceptsWrites(connectionsOf(system).proofs, TIMEOUT_MS), feed: system.feed.live };
}
