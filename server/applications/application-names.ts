import { sql } from 'kysely';
import type { Ctx } from '#platform/ctx.ts';
import type { ApplicationId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';

/** Names of the project's applications by id; unknown ids are left out. Served by the primary key. */
export async function applicationNames(ctx: Ctx, ids: readonly ApplicationId[]): Promise<Record<string, string>> {
  if (ids.length === 0) return {};
  const rows = await ctx.db
    .selectFrom('applications')
    .select(['id', 'name'])
    .where(inScope(ctx))
    .where('id', '=', sql<ApplicationId>`any(${[...ids]})`)
    .execute();
  return Object.fromEntries(rows.map((row) => [row.id, row.name]));
}
