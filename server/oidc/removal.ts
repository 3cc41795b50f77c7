import { sql } from 'kysely';
import { applicationIdsOf } from '#applications';
import type { ProjectId } from '#platform/ids.ts';
import { type Removal, removeRows } from '#platform/removal.ts';
import { projectIdsOf } from '#tenancy';

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
    const { rows } = await sql<{ removed: number }>`
      with gone as (
        delete from oidc_records where ctid = any(array(
          select ctid from oidc_records where project_id = any(${projects}) limit ${limit}))
        returning issuer, model, id
      ), made as (
        delete from oidc_records
        where issuer = any(array(select distinct issuer from gone))
          and grant_id = any(array(select id from gone where model = 'Grant'))
      )
      select count(*) as removed from gone`.execute(tx.db);
    const count = rows[0]?.removed ?? 0;
    if (count > 0) return count;
    const issuers = await issuersOf(tx, projects);
    return issuers.length === 0 ? 0 : removeRows(tx, 'oidc_records', { where: sql`issuer = any(${issuers})`, limit });
  },
};

/** Issuers of a project's custom domains contain its id. Skip-scans the primary key instead of reading every record. */
async function issuersOf({ db }: Parameters<Removal['remove']>[0], projects: readonly ProjectId[]): Promise<string[]> {
  const { rows } = await sql<{ issuer: string }>`
    with recursive each as (
      (select issuer from oidc_records order by issuer limit 1)
      union all
      select (select r.issuer from oidc_records r where r.issuer > each.issuer order by r.issuer limit 1)
      from each where each.issuer is not null)
    select issuer from each where split_part(issuer, ' ', 2) = any(${[...projects]})`.execute(db);
  return rows.map(({ issuer }) => issuer);
}
