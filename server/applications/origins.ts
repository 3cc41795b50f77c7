import { sql } from 'kysely';
import type { Environment, Scope } from '#platform/ctx.ts';
import { perSystem, type System } from '#platform/system.ts';
import { isFirstParty } from './parties.ts';

/** Every web origin of a project's enabled applications: their pages may call. */
export async function originsOf(ctx: { system: System; scope: Scope }): Promise<readonly string[]> {
  const { all } = await origins(ctx.system).find(ctx.scope);
  return all;
}

/** The web origins of a project's own enabled applications: their pages may have sessions in cookies, and use passkeys. */
export async function ownOriginsOf(ctx: { system: System; scope: Scope }): Promise<readonly string[]> {
  const { own } = await origins(ctx.system).find(ctx.scope);
  return own;
}

/** Is a page of this origin one of any project's enabled applications? */
export function isApplicationOrigin(system: System, environment: Environment, origin: string): Promise<boolean> {
  return origins(system).isKnown(environment, origin);
}

/** How many origins are remembered; strangers can name any number of them. */
const REMEMBERED = 10_000;

type Origins = { all: readonly string[]; own: readonly string[] };

/** Origins by scope, and scopes' existence by origin, until any application changes. */
class OriginCache {
  readonly #system: System;
  readonly #known = new Map<string, Origins>();
  readonly #asked = new Map<string, boolean>();
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

  async find({ workspaceId, projectId, environment }: Scope): Promise<Origins> {
    const key = `${workspaceId}/${projectId}/${environment}`;
    const known = this.#system.feed.live ? this.#known.get(key) : undefined;
    if (known) return known;
    const generation = this.#generation;
    const rows = await this.#system.lookups
      .selectFrom('applications')
      .select(['origins', 'first_party as firstParty', 'registration_token_id'])
      .where('workspace_id', '=', workspaceId)
      .where('project_id', '=', projectId)
      .where('environment', '=', environment)
      .where('enabled', '=', true)
      .execute();
    const own = rows.filter((row) => isFirstParty({ ...row, selfRegistered: row.registration_token_id !== null }));
    const found = { all: distinct(rows), own: distinct(own) };
    // A change heard while reading may not be in what was read.
    if (generation === this.#generation) this.#known.set(key, found);
    return found;
  }

  async isKnown(environment: Environment, origin: string): Promise<boolean> {
    const key = `${environment}/${origin}`;
    const asked = this.#system.feed.live ? this.#asked.get(key) : undefined;
    if (asked !== undefined) return asked;
    const generation = this.#generation;
    const { rows } = await sql<{ known: boolean }>`
      select exists (
        select from applications where environment = ${environment} and enabled and origins @> array[${origin}]
      ) as known /* all workspaces */`.execute(this.#system.lookups);
    const known = rows[0]?.known === true;
    if (this.#asked.size >= REMEMBERED) this.#asked.clear();
    if (generation === this.#generation) this.#asked.set(key, known);
    return known;
  }

  #forget(): void {
    this.#generation += 1;
    this.#known.clear();
    this.#asked.clear();
  }
}

function distinct(applications: readonly { origins: string[] }[]): string[] {
  return [...new Set(applications.flatMap((application) => application.origins))];
}

const origins = perSystem((system) => new OriginCache(system));
