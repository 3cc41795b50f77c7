import type { Scope } from '#platform/ctx.ts';
import { perSystem, type System } from '#platform/system.ts';

/** Every web origin of a project's enabled applications. */
export function originsOf(ctx: { system: System; scope: Scope }): Promise<readonly string[]> {
  return origins(ctx.system).find(ctx.scope);
}

/** Origins by scope, until any application changes. */
class OriginCache {
  readonly #system: System;
  readonly #known = new Map<string, readonly string[]>();
  #generation = 0;

  constructor(system: System) {
    this.#system = system;
    system.feed
      .subscribe({
        replay: async () => this.#forget(),
        onChange: ({ topic }) => {
          if (topic === 'application') this.#forget();
        },
      })
      .catch((error: unknown) => system.log.error({ err: error }, 'origin cache'));
  }

  async find({ workspaceId, projectId, environment }: Scope): Promise<readonly string[]> {
    const key = `${workspaceId}/${projectId}/${environment}`;
    const known = this.#system.feed.live ? this.#known.get(key) : undefined;
    if (known) return known;
    const generation = this.#generation;
    const rows = await this.#system.db
      .selectFrom('applications')
      .select('origins')
      .where('workspace_id', '=', workspaceId)
      .where('project_id', '=', projectId)
      .where('environment', '=', environment)
      .where('enabled', '=', true)
      .execute();
    const found = [...new Set(rows.flatMap((row) => row.origins))];
    // A change heard while reading may not be in what was read.
    if (generation === this.#generation) this.#known.set(key, found);
    return found;
  }

  #forget(): void {
    this.#generation += 1;
    this.#known.clear();
  }
}

const origins = perSystem((system) => new OriginCache(system));
