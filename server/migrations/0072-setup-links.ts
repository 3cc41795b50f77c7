/** Links with which a person sets an organization up, and the visits that began with them. */
export const up = `
create table setup_links (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  id text not null,
  token_hash bytea not null,
  tasks text[] not null,
  -- The roles in the organization that may be given by invitations.
  roles text[] not null,
  email text,
  locale text,
  return_url text,
  frame_origin text,
  -- The actor whose permissions the link has.
  maker jsonb not null,
  -- The id of the next connection, which the identity provider is given before the connection is added.
  next_connection_id text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  opened_at timestamptz,
  completed_at timestamptz,
  revoked_at timestamptz,
  primary key (workspace_id, project_id, environment, organization_id, id),
  foreign key (workspace_id, project_id, environment, organization_id) references organizations on delete cascade
);
create unique index setup_links_token on setup_links (workspace_id, environment, token_hash);
create index setup_links_email on setup_links (workspace_id, environment, email) where email is not null;

create table setup_visits (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  setup_link_id text not null,
  token_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (workspace_id, project_id, environment, organization_id, setup_link_id, token_hash),
  foreign key (workspace_id, project_id, environment, organization_id, setup_link_id) references setup_links
    on delete cascade
);
create unique index setup_visits_token on setup_visits (workspace_id, environment, token_hash);
create index setup_visits_expired on setup_visits (expires_at);
`;
