/** Deleting projects and workspaces: the day it happens, and that it has begun. */
export const up = `
-- Set: closed, and restored with everything until that day.
alter table workspaces add column delete_at timestamptz, add column removal_began_at timestamptz;
alter table projects add column delete_at timestamptz, add column removal_began_at timestamptz;

create index oidc_records_of_project on oidc_records (project_id) where project_id is not null;
`;
