/** Sign-in through the browser: what applications may ask for, and which session stands behind a grant. */
export const up = `
alter table applications
  add column post_logout_redirect_uris text[] not null default '{}',
  add column backchannel_logout_uri text,
  -- First-party: people are not asked for consent.
  add column first_party boolean not null default true,
  add column subject_type text not null default 'public' check (subject_type in ('public', 'pairwise')),
  -- Public keys of a client that authenticates with a signature (private_key_jwt).
  add column jwks jsonb,
  add column profile text not null default 'oauth' check (profile in ('oauth', 'fapi2')),
  -- Audiences it may ask access tokens for (RFC 8707).
  add column resources text[] not null default '{}',
  add column dpop_bound boolean not null default false;

-- The session behind a provider's session or grant, and its project: they end together.
alter table oidc_records
  add column session_id text,
  add column project_id text;
create index oidc_records_of_session on oidc_records (session_id) where session_id is not null;

-- The live sessions of a project, newest first.
create index scope_entries_of_project on scope_entries (workspace_id, project_id, environment, session_id desc) where revoked_at is null;

-- The consents of people to third-party applications.
create table consents (
  workspace_id text not null references workspaces,
  environment text not null,
  user_id text not null,
  application_id text not null,
  scopes text[] not null,
  granted_at timestamptz not null,
  primary key (workspace_id, environment, user_id, application_id),
  foreign key (workspace_id, environment, user_id) references users on delete cascade
);
`;
