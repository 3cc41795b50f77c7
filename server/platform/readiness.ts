import { acceptsWrites } from './db.ts';
import { connectionsOf, type System } from './system.ts';

const TIMEOUT_MS = 2_000;

/** The checks of `/readyz`. A process that serves only the status page needs no database. */
export async function readinessOf(system: System): Promise<{ database?: boolean; feed?: boolean }> {
  if (system.config.roles.join() === 'status') return {};
  return { database: await acceptsWrites(connectionsOf(system).proofs, TIMEOUT_MS), feed: system.feed.live };
}
