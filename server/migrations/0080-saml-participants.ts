/** Logging out at applications by SAML. */
export const up = `
-- The applications by SAML that signed a person in with a session, and the names that they know the person by.
create table saml_participants (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  application_id text not null,
  session_id text not null,
  subject_hash bytea not null,
  session_index text not null,
  sealed text not null,
  expires_at timestamptz not null,
  primary key (workspace_id, project_id, environment, application_id, session_id)
);
create index saml_participants_of_subject
  on saml_participants (workspace_id, project_id, environment, application_id, subject_hash);
create index saml_participants_of_session on saml_participants (workspace_id, environment, session_id);
create index saml_participants_expired on saml_participants (expires_at);

-- Logouts that lead a browser from one application to the next.
create table saml_rounds (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  state_hash bytea not null,
  sealed text not null,
  -- The application at which the browser is, and since when.
  waiting_for text,
  waiting_since timestamptz,
  expires_at timestamptz not null,
  primary key (workspace_id, environment, state_hash)
);
create index saml_rounds_waiting on saml_rounds (workspace_id, environment, waiting_for) where waiting_for is not null;
create index saml_rounds_expired on saml_rounds (expires_at);

-- Requests of applications to log out, as long as they could be used again.
create table saml_used_requests (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  application_id text not null,
  request_hash bytea not null,
  expires_at timestamptz not null,
  primary key (workspace_id, project_id, environment, application_id, request_hash)
);
create index saml_used_requests_expired on saml_used_requests (expires_at);
`;
