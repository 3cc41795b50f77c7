import { sql } from 'kysely';
import { NO_PROJECT, type TxCtx } from '#platform/ctx.ts';
import type { ReadDb } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { perSystem, type System, type SystemInTx } from '#platform/system.ts';

/** A project, or a whole workspace if no project is named. */
type Place = { workspaceId: WorkspaceId; projectId?: ProjectId };

/** Published when a project or workspace is closed, restored or removed; drop any cached state for it. */
export const CLOSING_TOPIC = 'closing';

/** Notifies every process that a project or workspace is closed, or open again. */
export async function announceClosing(tx: TxCtx, place: Place, state: 'closed' | 'open'): Promise<void> {
  await announce(tx, { topic: CLOSING_TOPIC, key: `${keyOf(place)} ${state}` });
}

function keyOf({ workspaceId, projectId }: Place): string {
  return projectId === undefined ? workspaceId : `${workspaceId}/${projectId}`;
}

/**
 * True if a project or its workspace is closed, so that nothing of it is served. Reads memory while the change feed is
 * live, and the database while it is not (fails closed: a missing row counts as closed).
 */
export function isClosed(system: SystemInTx, place: Place): boolean | Promise<boolean> {
  return closedScopes(system).has(place);
}

/** The closed projects and workspaces, as cached by one process. */
class ClosedScopes {
  readonly #system: System;
  readonly #closed = new Set<string>();
  #heard = 0;
  #loaded = false;

  constructor(system: System) {
    this.#system = system;
    system.feed
      .subscribe({
        replay: () => this.#replay(),
        onChange: ({ topic, key }) => {
          if (topic === CLOSING_TOPIC) this.#hear(key);
        },
      })
      .catch((error: unknown) => system.log.error({ err: error }, 'closed projects not loaded'));
  }

  has(place: Place): boolean | Promise<boolean> {
    if (!this.#system.feed.live || !this.#loaded) return isClosedInDatabase(this.#system.lookups, place);
    if (this.#closed.size === 0) return false;
    return this.#closed.has(place.workspaceId) || this.#closed.has(keyOf(place));
  }

  #hear(text: string): void {
    this.#heard += 1;
    const [key = '', state] = text.split(' ');
    if (state === 'open') this.#closed.delete(key);
    else this.#closed.add(key);
  }

  /**
   * Reads all closed scopes, which are few. A change heard during the read may be missing in it, so the read is
   * repeated.
   */
  async #replay(): Promise<void> {
    for (let before = -1; before !== this.#heard; ) {
      before = this.#heard;
      // biome-ignore lint/performance/noAwaitInLoops: repeated after a change
      const { rows } = await sql<{ key: string }>`
        select id as key from workspaces where delete_at is not null
        union all select workspace_id || '/' || id from projects where delete_at is not null /* all workspaces */`.execute(
        this.#system.lookups,
      );
      if (before !== this.#heard) continue;
      this.#closed.clear();
      for (const { key } of rows) this.#closed.add(key);
    }
    this.#loaded = true;
  }
}

const closedScopes = perSystem((system) => new ClosedScopes(system));

/** Served by the primary keys. */
async function isClosedInDatabase(db: ReadDb, { workspaceId, projectId }: Place): Promise<boolean> {
  const workspace = await db
    .selectFrom('workspaces')
    .select('delete_at')
    .where('id', '=', workspaceId)
    .executeTakeFirst();
  if (!workspace || workspace.delete_at !== null) return true;
  if (projectId === undefined || projectId === NO_PROJECT) return false;
  const project = await db
    .selectFrom('projects')
    .select('delete_at')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', projectId)
    .executeTakeFirst();
  return !project || project.delete_at !== null;
}

/**
 * An SQL condition for statements of other parts: the workspace of a row is open, and so is its project, if the row names
 * one. Served by primary keys.
 */
export function isOpen(row: string) {
  const [workspaceId, projectId] = [sql.ref(`${row}.workspace_id`), sql.ref(`${row}.project_id`)];
  return sql<boolean>`exists (select from workspaces w where w.id = ${workspaceId} and w.delete_at is null)
    and (${projectId} = ${NO_PROJECT} or exists (select from projects p
      where p.workspace_id = ${workspaceId} and p.id = ${projectId} and p.delete_at is null))`;
}
