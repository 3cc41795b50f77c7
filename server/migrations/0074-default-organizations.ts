/** The organization that a person enters at applications that name none and want one. */
export const up = `
create table default_organizations (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  member_id text not null,
  organization_id text not null,
  primary key (workspace_id, project_id, environment, member_id),
  -- The default ends with the membership.
  foreign key (workspace_id, project_id, environment, organization_id, member_id)
    references organization_members on delete cascade
);
create index default_organizations_of_organization
  on default_organizations (workspace_id, project_id, environment, organization_id, member_id);

alter table applications add column uses_default_organization boolean not null default false;
`;
