import { sql } from 'kysely';
import type { Environment, Scope } from '#platform/ctx.ts';
import { feedCache } from '#platform/feed-cache.ts';
import { inScope } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import { isFirstParty } from './parties.ts';

/** All web origins of a project's enabled applications, which may call the API. */
export async function originsOf(ctx: { system: System; scope: Scope }): Promise<readonly string[]> {
  const { all } = await origins(ctx.system, ctx.scope);
  return all;
}

/** The web origins of a project's enabled first-party applications, which may use cookie sessions and passkeys. */
export async function ownOriginsOf(ctx: { system: System; scope: Scope }): Promise<readonly string[]> {
  const { own } = await origins(ctx.system, ctx.scope);
  return own;
}

/** True if any project's enabled application has this origin. */
export async function isApplicationOrigin(system: System, environment: Environment, origin: string): Promise<boolean> {
  return isKnown(system, { environment, origin });
}

const origins = feedCache({
  topics: ['application'],
  keyOf: ({ workspaceId, projectId, environment }: Scope) => `${workspaceId}/${projectId}/${environment}`,
  load: async ({ lookups }, scope) => {
    const rows = await lookups
      .selectFrom('applications')
      .select(['origins', 'first_party as firstParty', 'registration_token_id'])
      .where(inScope({ scope }))
      .where('enabled', '=', true)
      .execute();
    const own = rows.filter((row) => isFirstParty({ ...row, selfRegistered: row.registration_token_id !== null }));
    return { all: distinct(rows), own: distinct(own) };
  },
  max: 10_000,
});

/** Bounded, because callers can send any number of origins. */
const isKnown = feedCache({
  topics: ['application'],
  keyOf: ({ environment, origin }: { environment: Environment; origin: string }) => `${environment}/${origin}`,
  load: async ({ lookups }, { environment, origin }) => {
    const { rows } = await sql<{ known: boolean }>`
      select exists (
        select 1 from applications where environment = ${environment} and enabled and origins @> array[${origin}]
      ) as known /* all workspaces */`.execute(lookups);
    return rows[0]?.known === true;
  },
  max: 10_000,
});

function distinct(applications: readonly { origins: string[] }[]): string[] {
  return [...new Set(applications.flatMap((application) => application.origins))];
}
