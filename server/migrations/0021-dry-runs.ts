/** The members that a dry run would have added so far, because several rows of a file may be the same person. */
export const up = `
create table member_import_dry_runs (
  workspace_id text not null,
  project_id text not null,
  environment text not null check (environment in ('test', 'production')),
  import_id text not null,
  identifier text collate "C" not null,
  user_id text not null,
  primary key (workspace_id, project_id, environment, import_id, identifier),
  foreign key (workspace_id, project_id, environment, import_id) references member_imports on delete cascade
);
`;
