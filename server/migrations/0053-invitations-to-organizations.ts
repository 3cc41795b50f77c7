/** An invitation may be to an organization of the project, too; an address has an open one for each. */
export const up = `
alter table invitations add column organization_id text;
alter table invitations add column roles_in_organization text[] not null default '{}';
alter table invitations add foreign key (workspace_id, project_id, environment, organization_id)
  references organizations on delete cascade;
create index invitations_of_organization on invitations (workspace_id, project_id, environment, organization_id);
drop index invitations_open;
create unique index invitations_open on invitations (workspace_id, project_id, environment, email, coalesce(organization_id, ''))
  where accepted_at is null and revoked_at is null;
`;
