/** An invitation may be to an organization of the project, too; an address has an open one for each. */
export const up = `
alter table invitations add column organization_id text;
alter table invitations add column roles_in_organization text[] not null default '{}';
-- Earlier versions: they write no organization.
alter table invitations add foreign key (workspace_id, project_id, environment, organization_id)
  references organizations on delete cascade;
create index invitations_of_organization on invitations (workspace_id, project_id, environment, organization_id);
-- Earlier versions: it is made again below under its name.
drop index invitations_open;
-- Earlier versions: it is the same for invitations without an organization.
create unique index invitations_open on invitations (workspace_id, project_id, environment, email, coalesce(organization_id, ''))
  where accepted_at is null and revoked_at is null;
`;
