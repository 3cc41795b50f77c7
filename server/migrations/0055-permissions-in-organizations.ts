/** Roles of organizations may allow managing the organization itself, and may be given by those who manage it. */
export const up = `
alter table organization_roles add column delegable boolean not null default false;
alter table organization_roles add column built_in_permissions text[] not null default '{}';
create index invitations_to_organization on invitations (workspace_id, project_id, environment, organization_id, id);
-- Earlier versions: the new index serves the same look-ups.
drop index invitations_of_organization;
`;
