/** Logos and icons that are uploaded for a project environment or for one of its organizations. */
export const up = `
create table branding_images (
  workspace_id text not null,
  id text not null,
  project_id text not null,
  environment text not null,
  -- Null: of the project.
  organization_id text,
  use text not null,
  hash text not null,
  type text not null,
  width integer not null,
  height integer not null,
  content bytea not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id),
  unique nulls not distinct (workspace_id, project_id, environment, organization_id, use),
  foreign key (workspace_id, project_id, environment, organization_id)
    references organizations (workspace_id, project_id, environment, id) on delete cascade
);
`;
