/** Requests that happen once, and the audit chain with its signed checkpoints. */
export const up = `
-- Idempotent requests: the key, a digest of the request, and the response. One row, written in the request's transaction.
create table idempotency_keys (
  id bytea primary key,
  body_hash bytea not null,
  answer_sealed text,
  expires_at timestamptz not null
);
create index idempotency_keys_expired on idempotency_keys (expires_at);

-- Each event as it was when it was numbered, chained by hash to its predecessor in the scope.
create table audit_entries (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  sequence bigint not null,
  id text not null,
  occurred_at timestamptz not null,
  action text collate "C" not null,
  -- The id of the actor, or the name of the part of the system.
  actor text not null,
  -- The hashed content; null once the person it names was erased. The leaf stays.
  entry json,
  leaf bytea not null,
  hash bytea not null,
  primary key (workspace_id, project_id, environment, sequence)
);
create index audit_entries_by_time on audit_entries (workspace_id, project_id, environment, occurred_at, sequence);
create index audit_entries_by_actor on audit_entries (workspace_id, project_id, environment, actor, occurred_at, sequence);
create index audit_entries_by_action on audit_entries (workspace_id, project_id, environment, action, occurred_at, sequence);

-- The ids in the data of an entry. A table, because its index has the order of the list.
create table audit_resources (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  resource text collate "C" not null,
  occurred_at timestamptz not null,
  sequence bigint not null,
  primary key (workspace_id, project_id, environment, resource, occurred_at, sequence)
);

-- The start and the end of the chain of a scope.
create table audit_heads (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  first bigint not null,
  sequence bigint not null,
  hash bytea not null,
  primary key (workspace_id, project_id, environment)
);

create table audit_checkpoints (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  sequence bigint not null,
  hash bytea not null,
  signed text not null,
  created_at timestamptz not null,
  primary key (workspace_id, project_id, environment, sequence)
);

-- The key that signs checkpoints. It is never rotated, so that old checkpoints can always be verified.
create table audit_keys (
  purpose text primary key check (purpose = 'checkpoints'),
  id text not null,
  public_jwk jsonb not null,
  private_sealed text not null,
  created_at timestamptz not null
);
`;
