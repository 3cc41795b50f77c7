import { sql } from 'kysely';
import { NO_PROJECT, type TxCtx } from '#platform/ctx.ts';
import type { ReadDb } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { perSystem, type System, type SystemInTx } from '#platform/system.ts';

/** A project, or a workspace as a whole where no project is named. */
type Place = { workspaceId: WorkspaceId; projectId?: ProjectId };

/** Something is to be deleted from now on, is not any more, or is gone. What is held in memory of it is of no use any more. */
export const CLOSING_TOPIC = 'closing';

/** Tells every process that a project or workspace is closed from now on, or open again. */
export async function announceClosing(tx: TxCtx, place: Place, state: 'closed' | 'open'): Promise<void> {
  await announce(tx, { topic: CLOSING_TOPIC, key: `${keyOf(place)} ${state}` });
}

function keyOf({ workspaceId, projectId }: Place): string {
  return projectId === undefined ? workspaceId : `${workspaceId}/${projectId}`;
}

/**
 * Whether a project or its workspace is to be deleted, so that nothing of it is served. Answers at once from memory while the
 * change feed is live, and asks the database while it is not (fails closed: what is gone counts as closed there).
 */
export function isClosed(system: SystemInTx, place: Place): boolean | Promise<boolean> {
  return closedScopes(system).has(place);
}

/** What is closed, as one process knows it. */
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
    return this.#closed.has(place.workspaceId) || this.#closed.has(keyOf(place));
  }

  #hear(text: string): void {
    this.#heard += 1;
    const [key = '', state] = text.split(' ');
    if (state === 'open') this.#closed.delete(key);
    else this.#closed.add(key);
  }

  /** Few are closed at a time. What is heard while reading may not be in what was read, so it is read again then. */
  async #replay(): Promise<void> {
    for (let before = -1; before !== this.#heard; ) {
      before = this.#heard;
      // biome-ignore lint/performance/noAwaitInLoops: read again after a change
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

/** Whether the project of a row and its workspace are open, as a condition in a statement of another part. Served by primary keys. */
export function isOpen(row: string) {
  return sql<boolean>`exists (select from projects p join workspaces w on w.id = p.workspace_id
    where p.workspace_id = ${sql.ref(`${row}.workspace_id`)} and p.id = ${sql.ref(`${row}.project_id`)}
      and p.delete_at is null and w.delete_at is null)`;
}
