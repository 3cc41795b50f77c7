/** Indexes of impersonations, of sessions in organizations and of grants in organizations. */
export const up = `
create index concurrently oidc_records_of_impersonation on oidc_records ((payload->>'workspaceId'))
  where model = 'Grant' and payload ? 'impersonation';
create index concurrently oidc_records_of_organization on oidc_records ((payload->>'organizationId'), (payload->>'accountId'))
  where model = 'Grant' and payload ? 'organizationId';
create index concurrently scope_entries_of_organization
  on scope_entries (workspace_id, project_id, environment, organization_id, user_id)
  where organization_id is not null and revoked_at is null;
-- Earlier versions: it allows more than the index that it replaces.
create unique index concurrently scope_entries_live_in on scope_entries
  (workspace_id, environment, session_id, project_id, coalesce(grant_id, ''), coalesce(organization_id, ''))
  where revoked_at is null;
-- Earlier versions: none names it, and the new index has its columns.
drop index concurrently if exists scope_entries_live;
`;

export const concurrently = true;
