/** Streams that send the audit log of a project environment to another system, and their last faults. */
export const up = `
create table log_streams (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  name text not null,
  kind text not null,
  url text not null,
  types text[] not null,
  header text,
  ca_certificate text,
  client_certificate text,
  secret_sealed text,
  state text not null check (state in ('paused', 'active')),
  -- Every entry up to this sequence was sent or refused.
  position bigint not null,
  sent bigint not null,
  refused bigint not null,
  sent_at timestamptz,
  failures integer not null,
  failing_since timestamptz,
  next_attempt_at timestamptz,
  -- Whether an event told that the stream fails.
  told boolean not null,
  -- Counts the changes after which a process must not go on with what it has read.
  version integer not null,
  -- The process that sends, and until when no other may.
  claim text,
  claimed_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment, id)
);

create table log_stream_faults (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  stream_id text not null,
  id text not null,
  refused boolean not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  status_code integer,
  error text not null,
  response_snippet text,
  occurred_at timestamptz not null,
  primary key (workspace_id, project_id, environment, stream_id, id),
  foreign key (workspace_id, project_id, environment, stream_id) references log_streams on delete cascade
);

update roles set permissions = permissions || array['log-streams:read', 'log-streams:write'] where built_in and key = 'admin';
update roles set permissions = permissions || array['log-streams:read'] where built_in and key = 'viewer';
`;
