/** A session may be in organizations of a project: an entry for each, beside that of the project. */
export const up = `
alter table scope_entries add column organization_id text;
alter table scope_entries add column version integer not null default 0;
-- Earlier versions: it is made again below under its name.
drop index scope_entries_live;
-- Earlier versions: it is the same for entries without an organization.
create unique index scope_entries_live on scope_entries
  (workspace_id, environment, session_id, project_id, coalesce(grant_id, ''), coalesce(organization_id, ''))
  where revoked_at is null;
create index scope_entries_of_organization on scope_entries (workspace_id, project_id, environment, organization_id, user_id)
  where organization_id is not null and revoked_at is null;
`;
