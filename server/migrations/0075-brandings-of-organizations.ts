/** The branding of organizations. */
export const up = `
-- What an organization shows in place of the project's name, logo and colours.
create table organization_brandings (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  branding jsonb not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment, organization_id),
  foreign key (workspace_id, project_id, environment, organization_id)
    references organizations (workspace_id, project_id, environment, id) on delete cascade
);
`;
