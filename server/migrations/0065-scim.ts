/** Directories of organizations, which keep their people and groups up to date by SCIM. */
export const up = `
create table scim_tokens (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  id text not null,
  hash bytea not null,
  name text not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null,
  primary key (workspace_id, project_id, environment, organization_id, id),
  constraint scim_tokens_hash unique (workspace_id, hash),
  foreign key (workspace_id, project_id, environment, organization_id) references organizations on delete cascade
);

create table scim_users (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  id text not null,
  member_id text not null,
  user_id text not null,
  -- Lower case, because user names are compared regardless of case.
  user_name text not null,
  external_id text,
  active boolean not null,
  -- The directory created the account, and may change and block it.
  manages_account boolean not null,
  -- The roles that the groups gave last.
  group_roles text[] not null,
  attributes jsonb not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment, organization_id, id),
  constraint scim_users_name unique (workspace_id, project_id, environment, organization_id, user_name),
  constraint scim_users_member unique (workspace_id, project_id, environment, organization_id, member_id),
  foreign key (workspace_id, project_id, environment, organization_id) references organizations on delete cascade,
  -- A person who leaves the project leaves its directories.
  foreign key (workspace_id, project_id, environment, member_id) references members on delete cascade
);
create index scim_users_external on scim_users (workspace_id, project_id, environment, organization_id, external_id);
create index scim_users_of_member on scim_users (workspace_id, project_id, environment, member_id);

create table scim_groups (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  id text not null,
  -- Lower case, because names are compared regardless of case.
  name text not null,
  external_id text,
  -- The roles in the organization that its members have.
  roles text[] not null,
  attributes jsonb not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment, organization_id, id),
  constraint scim_groups_name unique (workspace_id, project_id, environment, organization_id, name),
  foreign key (workspace_id, project_id, environment, organization_id) references organizations on delete cascade
);

create table scim_group_members (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  group_id text not null,
  scim_user_id text not null,
  primary key (workspace_id, project_id, environment, organization_id, group_id, scim_user_id),
  foreign key (workspace_id, project_id, environment, organization_id, group_id) references scim_groups on delete cascade,
  foreign key (workspace_id, project_id, environment, organization_id, scim_user_id) references scim_users on delete cascade
);
create index scim_groups_of_user on scim_group_members (workspace_id, project_id, environment, organization_id, scim_user_id);

create table scim_log (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  id text not null,
  token_id text not null,
  action text not null,
  resource_type text not null check (resource_type in ('User', 'Group')),
  resource_id text,
  user_id text,
  -- Null after the erasure of the person.
  name text,
  outcome text not null check (outcome in ('applied', 'refused')),
  detail text,
  changes jsonb not null,
  created_at timestamptz not null,
  primary key (workspace_id, project_id, environment, organization_id, id),
  foreign key (workspace_id, project_id, environment, organization_id) references organizations on delete cascade
);
create index scim_log_of_user on scim_log (workspace_id, environment, user_id) where user_id is not null;
create index scim_log_age on scim_log (created_at);
`;
