import type { Task } from 'graphile-worker';
import { sql } from 'kysely';
import type { Tables } from './db.ts';
import type { EventDefinition } from './event.ts';
import type { Jobs } from './jobs.ts';
import type { Removal } from './removal.ts';
import type { Works } from './repeating.ts';
import type { Routes } from './route.ts';
import { singleWrite } from './single-writes.ts';
import type { System } from './system.ts';

/** Where routes are served. */
export type Surface =
  | 'auth'
  /** The API host, for signed-in customers. */
  | 'me'
  /** The API host for back ends, and the console for operators. */
  | 'admin'
  /** The auth and the API host. */
  | 'public'
  /** The API host of production, because carriers and the payment provider know only one environment. */
  | 'callbacks'
  | 'console'
  /** The console, in development mode. */
  | 'consoleDevelopment'
  /** The console host, also without the console. */
  | 'start'
  /** The console host in development mode, also without the console. */
  | 'development'
  | 'status';

/** What a part contributes to the program. `hosts/parts.ts` lists the parts. */
export type Part = {
  routes?: { readonly [Where in Surface]?: Routes };
  events?: Readonly<Record<string, EventDefinition>>;
  /** Permissions that routes require, with what they allow; every project has them. Viewers have those named `…:read`. */
  permissions?: Readonly<Record<`${string}:${string}`, string>>;
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
