/** Actions: signed calls to a project's own systems at moments that matter to it, and their last calls. */
export const up = `
create table actions (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  name text not null,
  moment text not null,
  url text not null,
  secrets jsonb not null,
  enabled boolean not null,
  position integer not null,
  timeout_ms integer not null,
  on_failure text not null check (on_failure in ('continue', 'refuse')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment, id)
);

create table action_calls (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  action_id text not null,
  id text not null,
  moment text not null,
  dry_run boolean not null,
  occurred_at timestamptz not null,
  duration_ms integer not null,
  status_code integer,
  decision text not null,
  error text,
  correlation_id text not null,
  primary key (workspace_id, project_id, environment, action_id, id),
  foreign key (workspace_id, project_id, environment, action_id) references actions on delete cascade
);

update roles set permissions = permissions || array['actions:read', 'actions:write'] where built_in and key = 'admin';
update roles set permissions = permissions || array['actions:read'] where built_in and key = 'viewer';
`;
