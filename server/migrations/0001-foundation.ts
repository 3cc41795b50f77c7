/** Tenancy, people, sessions, members, applications, the event log, keys and messages. */
export const up = `
create table workspaces (
  id text primary key,
  -- Short public key carried by client ids and bearer secrets, so that a deployment of many databases can route them.
  routing_key text not null unique,
  name text not null,
  created_at timestamptz not null
);

create table projects (
  workspace_id text not null references workspaces,
  id text not null,
  name text not null,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);

create table project_environments (
  workspace_id text not null,
  project_id text not null,
  environment text not null check (environment in ('test', 'production')),
  -- Only what differs from the defaults.
  settings jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment),
  foreign key (workspace_id, project_id) references projects
);

-- The project of unauthenticated requests on an environment's own address that name none.
create table default_projects (
  environment text primary key check (environment in ('test', 'production')),
  workspace_id text not null,
  project_id text not null,
  foreign key (workspace_id, project_id) references projects
);

create table users (
  workspace_id text not null references workspaces,
  environment text not null check (environment in ('test', 'production')),
  id text not null,
  display_name text,
  given_name text,
  family_name text,
  picture text,
  locale text,
  zoneinfo text,
  birthdate text,
  custom_data jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, environment, id)
);
create index users_display_name on users (workspace_id, environment, lower(display_name) collate "C" text_pattern_ops);

-- Identifiers: unique in the realm, normalised.
create table identifiers (
  workspace_id text not null,
  environment text not null,
  kind text not null check (kind in ('email', 'phone', 'username')),
  value text collate "C" not null,
  user_id text not null,
  verified_at timestamptz,
  created_at timestamptz not null,
  primary key (workspace_id, environment, kind, value),
  foreign key (workspace_id, environment, user_id) references users on delete cascade
);
create unique index identifiers_of_user on identifiers (workspace_id, environment, user_id, kind);

create table passwords (
  workspace_id text not null,
  environment text not null,
  user_id text not null,
  hash text not null,
  changed_at timestamptz not null,
  primary key (workspace_id, environment, user_id),
  foreign key (workspace_id, environment, user_id) references users on delete cascade
);

-- One-time codes sent to an address. A flow without code_hash gets the same responses but cannot succeed.
create table verifications (
  workspace_id text not null references workspaces,
  environment text not null,
  id text not null,
  project_id text not null,
  purpose text not null,
  user_id text,
  channel text not null check (channel in ('email', 'phone')),
  address text not null,
  code_hash bytea,
  -- The registration, which takes effect when the address is proven; encrypted.
  pending_sealed text,
  attempts_left integer not null,
  expires_at timestamptz not null,
  resend_after timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null,
  primary key (workspace_id, environment, id),
  foreign key (workspace_id, environment, user_id) references users on delete cascade
);
create index verifications_expired on verifications (expires_at);

create table sessions (
  workspace_id text not null,
  environment text not null,
  id text not null,
  user_id text not null,
  amr text[] not null,
  acr text not null,
  auth_time timestamptz not null,
  ip inet,
  user_agent text,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoke_reason text,
  primary key (workspace_id, environment, id),
  foreign key (workspace_id, environment, user_id) references users on delete cascade
);
create index sessions_of_user on sessions (workspace_id, environment, user_id, id desc);

-- A session's presence in one project. A revoked entry never comes back; a new one may be made.
create table scope_entries (
  workspace_id text not null,
  environment text not null,
  id text not null,
  session_id text not null,
  project_id text not null,
  user_id text not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  revoke_reason text,
  primary key (workspace_id, environment, id),
  foreign key (workspace_id, environment, session_id) references sessions on delete cascade
);
create unique index scope_entries_live on scope_entries (workspace_id, environment, session_id, project_id) where revoked_at is null;
create index scope_entries_of_user on scope_entries (workspace_id, environment, user_id) where revoked_at is null;

create table refresh_tokens (
  workspace_id text not null,
  environment text not null,
  hash bytea not null,
  entry_id text not null,
  session_id text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The successor, encrypted under a key derived from this token: only a caller who presents it again can read it.
  successor text,
  -- No foreign key: a token is only ever found together with its entry and session, and one written at every refresh
  -- would pay for the check each time. Tokens whose session is gone are unknown, and go when they expire.
  primary key (workspace_id, environment, hash)
);
create index refresh_tokens_expired on refresh_tokens (expires_at);

-- Access tokens to reject although they have not expired; kept until the last of them expires.
create table revocations (
  workspace_id text not null,
  environment text not null,
  subject text not null,
  -- Tokens issued at or before this instant are invalid.
  revoked_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (workspace_id, environment, subject)
);
create index revocations_live on revocations (expires_at);

create table members (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  user_id text not null,
  status text not null check (status in ('active', 'invited', 'blocked')),
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  last_seen_at timestamptz,
  primary key (workspace_id, project_id, environment, id),
  foreign key (workspace_id, project_id) references projects,
  foreign key (workspace_id, environment, user_id) references users on delete cascade
);
create unique index members_of_user on members (workspace_id, environment, user_id, project_id);

create table permissions (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  key text not null,
  description text not null,
  created_at timestamptz not null,
  primary key (workspace_id, project_id, environment, key),
  foreign key (workspace_id, project_id) references projects
);

create table roles (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  key text not null,
  name text not null,
  description text not null,
  built_in boolean not null,
  permissions text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment, id),
  foreign key (workspace_id, project_id) references projects
);
create unique index roles_key on roles (workspace_id, project_id, environment, key);

create table member_roles (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  member_id text not null,
  role_id text not null,
  primary key (workspace_id, project_id, environment, member_id, role_id),
  foreign key (workspace_id, project_id, environment, member_id) references members on delete cascade,
  foreign key (workspace_id, project_id, environment, role_id) references roles
);
create index member_roles_of_role on member_roles (workspace_id, project_id, environment, role_id, member_id);

create table applications (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  client_id text not null unique,
  kind text not null check (kind in ('spa', 'web', 'native', 'management', 'device')),
  name text not null,
  redirect_uris text[] not null default '{}',
  origins text[] not null default '{}',
  -- The permissions a management client may be granted.
  permissions text[] not null default '{}',
  enabled boolean not null default true,
  -- Tokens dated up to this instant are invalid: set by a new secret and by disabling the client.
  tokens_ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment, id),
  foreign key (workspace_id, project_id) references projects
);

create table application_secrets (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  application_id text not null,
  id text not null,
  hash bytea not null,
  hint text not null,
  created_at timestamptz not null,
  primary key (workspace_id, project_id, environment, application_id, id),
  foreign key (workspace_id, project_id, environment, application_id) references applications on delete cascade
);

-- Everything a customer can see change, written in the transaction that changes it.
create table events (
  workspace_id text not null,
  id text not null,
  project_id text not null,
  environment text not null,
  type text not null,
  occurred_at timestamptz not null,
  actor jsonb not null,
  correlation_id text not null,
  trace_id text not null,
  data jsonb not null,
  -- Position in the scope's order; assigned by the dispatcher after the commit, so that no writer waits for another.
  sequence bigint,
  primary key (workspace_id, id)
);
create unique index events_in_order on events (workspace_id, project_id, environment, sequence) where sequence is not null;
create index events_unnumbered on events (id) where sequence is null;

create table event_sequences (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  last bigint not null,
  primary key (workspace_id, project_id, environment)
);

create table signing_keys (
  environment text not null check (environment in ('test', 'production')),
  id text not null,
  algorithm text not null,
  public_jwk jsonb not null,
  private_sealed text not null,
  created_at timestamptz not null,
  -- Published before it signs, and after it has stopped signing until its last token expires.
  signs_from timestamptz not null,
  retires_at timestamptz,
  primary key (environment, id)
);

create table oidc_records (
  issuer text not null,
  model text not null,
  id text not null,
  payload jsonb not null,
  grant_id text,
  uid text,
  user_code text,
  consumed_at timestamptz,
  expires_at timestamptz,
  primary key (issuer, model, id)
);
create index oidc_records_of_grant on oidc_records (issuer, grant_id) where grant_id is not null;
create unique index oidc_records_uid on oidc_records (issuer, model, uid) where uid is not null;
create unique index oidc_records_user_code on oidc_records (issuer, user_code) where user_code is not null;
create index oidc_records_expired on oidc_records (expires_at);

-- Outgoing mail and SMS. In development mode the dev inbox shows them.
create table messages (
  workspace_id text not null references workspaces,
  id text not null,
  project_id text not null,
  environment text not null,
  channel text not null check (channel in ('email', 'sms')),
  recipient text not null,
  body_sealed text not null,
  status text not null check (status in ('queued', 'sent', 'failed')),
  error text,
  created_at timestamptz not null,
  sent_at timestamptz,
  primary key (workspace_id, id)
);
create index messages_newest on messages (id desc);

-- The last report of each worker, by which the status page knows that one runs.
create table worker_heartbeats (
  worker text primary key,
  seen_at timestamptz not null
);

-- Owned by rate-limiter-flexible, which names its columns.
create table rate_limits (
  key text primary key,
  points integer not null default 0,
  expire bigint
);
create index rate_limits_expired on rate_limits (expire);
`;
