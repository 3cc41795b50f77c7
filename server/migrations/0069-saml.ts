/** Signing in by SAML. */
export const up = `
-- The response of an identity provider that posted it, while the browser returns with its cookie.
alter table upstream_flows add column response_sealed text;

create index organization_connections_due on organization_connections ((configuration->>'metadataDueAt'))
  where kind = 'saml';

-- Assertions that were used, as long as they could be accepted.
create table saml_assertions (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  connection_id text not null,
  assertion_hash bytea not null,
  expires_at timestamptz not null,
  primary key (workspace_id, project_id, environment, connection_id, assertion_hash)
);
create index saml_assertions_expired on saml_assertions (expires_at);

-- What the last response of a connection said, for a day.
create table saml_last_responses (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  connection_id text not null,
  sealed text not null,
  expires_at timestamptz not null,
  primary key (workspace_id, project_id, environment, connection_id)
);
create index saml_last_responses_expired on saml_last_responses (expires_at);
`;
