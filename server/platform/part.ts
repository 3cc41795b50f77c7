import type { Task } from 'graphile-worker';
import { sql } from 'kysely';
import type { Tables } from './db.ts';
import type { Jobs } from './jobs.ts';
import type { Removal } from './removal.ts';
import type { Works } from './repeating.ts';
import { singleWrite } from './single-writes.ts';
import type { System } from './system.ts';

/** What a part contributes to the program. `hosts/` and `lifecycle/` collect the parts. */
export type Part = {
  /** Removes the part's rows of a project or workspace. The order matters where rows refer to each other. */
  removals?: readonly Removal[];
  /** Run every ten minutes in a worker; the name appears in the log. */
  cleanUps?: Works;
  /** Run every 30 seconds in a worker: recovery of what a killed process left behind, and work that falls due. */
  sweeps?: Works;
  /** The handlers of jobs that need only the system. */
  tasks?: { readonly [Name in keyof Jobs]?: (system: System) => Task };
};

/** A clean-up that deletes the expired rows of a table, by `expires_at`. */
export function expiredRowsOf(table: keyof Tables): (system: System) => Promise<void> {
  return async (system) => {
    await sql`delete from ${sql.table(table)} where expires_at < ${system.clock.now()} /* all workspaces */`.execute(
      singleWrite(system, 'clean-up'),
    );
  };
}
