import type { Task } from 'graphile-worker';
import { sql } from 'kysely';
import type { Tables } from './db.ts';
import type { Jobs } from './jobs.ts';
import type { Removal } from './removal.ts';
import type { Works } from './repeating.ts';
import { singleWrite } from './single-writes.ts';
import type { System } from './system.ts';

/** What a part of the product contributes to the program. `hosts/` and `lifecycle/` put the parts together. */
export type Part = {
  /** Removes the part's rows of a project or workspace. The order matters where rows refer to each other. */
  removals?: readonly Removal[];
  /** Run every ten minutes in a worker, each under its name in the log. */
  cleanUps?: Works;
  /** Run every 30 seconds in a worker: what a killed process left behind, and what falls due. */
  sweeps?: Works;
  /** The handlers of jobs that need nothing but the system. */
  tasks?: { readonly [Name in keyof Jobs]?: (system: System) => Task };
};

/** A clean-up that deletes the rows of a table whose `expires_at` has passed. */
export function expiredRowsOf(table: keyof Tables): (system: System) => Promise<void> {
  return async (system) => {
    await sql`delete from ${sql.table(table)} where expires_at < ${system.clock.now()} /* all workspaces */`.execute(
      singleWrite(system, 'clean-up'),
    );
  };
}
