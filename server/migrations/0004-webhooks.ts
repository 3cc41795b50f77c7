/** Webhook endpoints, their deliveries and every attempt; examples in the event log. */
export const up = `
-- An example that tests a receiver; it did not happen.
alter table events add column example boolean not null default false;

create table webhook_endpoints (
  workspace_id text not null,
  project_id text not null,
  environment text not null check (environment in ('test', 'production')),
  id text not null,
  -- 'events': fed from the event log. Otherwise the part that owns it, which knows it by key.
  purpose text not null default 'events',
  key text,
  url text not null,
  description text not null,
  -- Event types, or groups such as user.*
  events text[] not null,
  headers_sealed text,
  -- Newest first: { sealed, createdAt, expiresAt }. More than one while a rotation overlaps.
  secrets jsonb not null,
  enabled boolean not null,
  disabled_reason text check (disabled_reason in ('request', 'gone', 'failing')),
  -- Every attempt since then has failed.
  failing_since timestamptz,
  -- The receiver asked for a pause until then (Retry-After).
  paused_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Kept until the retention of its log ends.
  deleted_at timestamptz,
  primary key (workspace_id, id)
);
create index webhook_endpoints_of_scope on webhook_endpoints (workspace_id, project_id, environment, id) where deleted_at is null;
create unique index webhook_endpoints_key on webhook_endpoints (workspace_id, project_id, environment, purpose, key) where key is not null;

create table webhook_deliveries (
  workspace_id text not null,
  id text not null,
  project_id text not null,
  environment text not null check (environment in ('test', 'production')),
  endpoint_id text not null,
  event_id text not null,
  event_type text not null,
  -- Null: the event as it stands in the log.
  body text,
  status text not null check (status in ('pending', 'delivered', 'retrying', 'failed', 'blocked')),
  attempt_count integer not null default 0,
  -- The reason of the next attempt.
  trigger text not null check (trigger in ('event', 'schedule', 'retry', 'replay', 'recovery', 'test')),
  -- Null: no further attempt is scheduled. While an attempt runs: when it counts as lost and is repeated.
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);
create index webhook_deliveries_due on webhook_deliveries (workspace_id, endpoint_id, next_attempt_at, id) where next_attempt_at is not null;
create index webhook_deliveries_of_scope on webhook_deliveries (workspace_id, project_id, environment, id);
create index webhook_deliveries_of_endpoint on webhook_deliveries (workspace_id, endpoint_id, id);
create index webhook_deliveries_of_event on webhook_deliveries (workspace_id, event_id);
create index webhook_deliveries_troubled on webhook_deliveries (workspace_id, project_id, environment, id)
  where status in ('retrying', 'failed', 'blocked');

create table webhook_attempts (
  workspace_id text not null,
  delivery_id text not null,
  number integer not null,
  trigger text not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  status_code integer,
  error text,
  response_snippet text,
  primary key (workspace_id, delivery_id, number)
);
`;
