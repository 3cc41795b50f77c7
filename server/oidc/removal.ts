import { sql } from 'kysely';
import { applicationIdsOf } from '#applications';
import type { TxCtx } from '#platform/ctx.ts';
import type { ProjectId } from '#platform/ids.ts';
import { portionOf, type Removal, type Removed, removeRows } from '#platform/removal.ts';
import { projectIdsOf } from '#tenancy';
import { type Place, placesOf } from './routed-ids.ts';

/** Removes users' consents for the project's applications, which still exist at this point. */
export const consents: Removal = {
  tables: ['consents'],
  remove: async (tx, removed, limit) => {
    const { workspaceId, projectId } = removed;
    const ids = projectId === null ? null : await applicationIdsOf(tx, removed);
    const theirs = ids === null ? sql`true` : sql`application_id = any(${ids})`;
    return removeRows(tx, 'consents', { where: sql`workspace_id = ${workspaceId} and ${theirs}`, limit });
  },
};

/**
 * Removes the provider's records: browser sessions that started in a project, grants for it with their codes and
 * tokens, and all records of its own issuers. Served by oidc_records_of_project, oidc_records_of_grant and the primary
 * key.
 */
export const records: Removal = {
  tables: ['oidc_records'],
  remove: async (tx, removed, limit) => {
    const projects = await projectIdsOf(tx, removed);
    for (const place of placesOf({ system: tx.system, scope: { ...tx.scope, workspaceId: removed.workspaceId } })) {
      // biome-ignore lint/performance/noAwaitInLoops: one place after the other
      const count = await removeFrom(tx, removed, { place, projects, limit });
      if (count > 0) return count;
    }
    return 0;
  },
};

type Portion = { place: Place; projects: readonly ProjectId[]; limit: number };

async function removeFrom(tx: TxCtx, removed: Removed, portion: Portion): Promise<number> {
  return (await removeMade(tx, portion)) || removeLeft(tx, removed, portion);
}

async function removeMade({ db }: TxCtx, { place, projects, limit }: Portion): Promise<number> {
  const theirs = sql`workspace_id = ${place} and project_id = any(${[...projects]})`;
  const { rows } = await sql<{ removed: number }>`
    with gone as (
      delete from oidc_records where ${portionOf('oidc_records', { where: theirs, limit })}
      returning issuer, model, id
    ), made as (
      delete from oidc_records
      where workspace_id = ${place} and issuer = any(array(select distinct issuer from gone))
        and grant_id = any(array(select id from gone where model = 'Grant'))
    )
    select count(*) as removed from gone`.execute(db);
  return rows[0]?.removed ?? 0;
}

/** The other records of a removed workspace, and those of its projects' own issuers, which are named after them. */
function removeLeft(
  tx: TxCtx,
  { workspaceId, projectId }: Removed,
  { place, projects, limit }: Portion,
): Promise<number> {
  const own = sql`split_part(issuer, ' ', 2) = any(${[...projects]})`;
  const where =
    projectId === null && place === workspaceId
      ? sql`workspace_id = ${place}`
      : sql`workspace_id = ${place} and ${own}`;
  return removeRows(tx, 'oidc_records', { where, limit });
}
