/** Test sign-ins of connections, and logging out by SAML. */
export const up = `
-- Test sign-ins of connections, for a day. Nobody is signed in by them.
create table connection_test_sign_ins (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  organization_id text not null,
  connection_id text not null,
  ticket_hash bytea not null,
  return_to text,
  begun_at timestamptz,
  sealed text,
  expires_at timestamptz not null,
  primary key (workspace_id, project_id, environment, id)
);
create unique index connection_test_sign_ins_of_ticket on connection_test_sign_ins (workspace_id, environment, ticket_hash);
create index connection_test_sign_ins_expired on connection_test_sign_ins (expires_at);

-- The sessions at identity providers that sign-ins by SAML belong to, so that logging out ends both.
create table saml_logins (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  connection_id text not null,
  subject_hash bytea not null,
  session_index text,
  sealed text not null,
  session_id text,
  expires_at timestamptz not null,
  primary key (workspace_id, project_id, environment, id)
);
create index saml_logins_of_subject on saml_logins (workspace_id, project_id, environment, connection_id, subject_hash);
create index saml_logins_of_session on saml_logins (workspace_id, environment, session_id);
create index saml_logins_expired on saml_logins (expires_at);
alter table mfa_challenges add column saml_login text;

-- Browsers that are at an identity provider to log out there, too.
create table saml_logouts (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  state_hash bytea not null,
  connection_id text not null,
  sealed text not null,
  expires_at timestamptz not null,
  primary key (workspace_id, environment, state_hash)
);
create index saml_logouts_expired on saml_logouts (expires_at);
`;
