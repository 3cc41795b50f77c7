import { sql } from 'kysely';
import type { Ctx, Scope, TxCtx } from '#platform/ctx.ts';
import { feedCache } from '#platform/feed-cache.ts';
import type { Id } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';
import type { SystemInTx } from '#platform/system.ts';

export type ApiId = Id<'api'>;
export type ScopeId = Id<'scp'>;

/** The topic of the change feed; the key is {@link keyOfScope}. */
export const API_TOPIC = 'api';

export function keyOfScope({ workspaceId, projectId, environment }: Scope): string {
  return `${workspaceId}/${projectId}/${environment}`;
}

/** An API as tokens are issued for it. */
export type KnownApi = {
  id: ApiId;
  identifier: string;
  name: string;
  scopes: { id: ScopeId; name: string }[];
  accessTokenSeconds: number | null;
  requirePermissions: boolean;
};

/** The APIs of a project environment. Cached while the change feed is live. */
export function knownApis(system: SystemInTx, scope: Scope): readonly KnownApi[] | Promise<readonly KnownApi[]> {
  return cachedApis(system, scope);
}

const cachedApis = feedCache({
  topics: [API_TOPIC],
  drops: ({ key }, scope) => key === scope,
  keyOf: keyOfScope,
  load: ({ lookups }, scope: Scope) => readApis({ db: lookups, scope }),
  max: 2_000,
});

/** Like {@link knownApis}, from the database. Served by the primary key. */
export async function readApis({ db, scope }: Pick<Ctx | TxCtx, 'db' | 'scope'>): Promise<KnownApi[]> {
  const rows = await db
    .selectFrom('apis')
    .select(['id', 'identifier', 'name', 'scopes', 'access_token_seconds', 'require_permissions'])
    .where(inScope({ scope }))
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    identifier: row.identifier,
    name: row.name,
    scopes: row.scopes.map(({ id, name }) => ({ id, name })),
    accessTokenSeconds: row.access_token_seconds,
    requirePermissions: row.require_permissions,
  }));
}

/** A scope as people read it. */
export type ScopeText = { id: ScopeId; identifier: string; api: string; name: string; description: string };

/** The scopes with these ids in any project of the workspace and environment; unknown ids are left out. */
export async function scopeTexts(
  { db, scope }: Pick<Ctx, 'db' | 'scope'>,
  ids: readonly string[],
): Promise<ScopeText[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<ScopeText>`
    select s.scope->>'id' as id, a.identifier, a.name as api, s.scope->>'name' as name,
      s.scope->>'description' as description
    from apis a cross join lateral jsonb_array_elements(a.scopes) with ordinality as s(scope, place)
    where a.workspace_id = ${scope.workspaceId} and a.environment = ${scope.environment}
      and s.scope->>'id' = any(${[...ids]})
    order by a.id, s.place`.execute(db);
  return rows;
}
