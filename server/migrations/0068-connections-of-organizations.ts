/** Connections of organizations: the identity providers of their companies. */
export const up = `
create table organization_connections (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  id text not null,
  kind text not null,
  name text not null,
  status text not null check (status in ('enabled', 'disabled')),
  -- People at the verified mail domains of the organization enter it only through such a connection.
  required boolean not null,
  just_in_time boolean not null,
  -- The roles in the organization of those who join through the connection.
  roles text[] not null,
  -- The attributes that have other names than the kind expects.
  attributes jsonb not null,
  -- The roles in the organization for each group of the identity provider.
  group_roles jsonb not null,
  configuration jsonb not null,
  secret_sealed text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment, organization_id, id),
  foreign key (workspace_id, project_id, environment, organization_id) references organizations on delete cascade
);
-- Sessions know only the id of the connection they began through.
create unique index organization_connections_id
  on organization_connections (workspace_id, project_id, environment, id);
create index organization_connections_enabled
  on organization_connections (workspace_id, project_id, environment, organization_id) where status = 'enabled';

-- The organization that a sign-in enters after its second factor.
alter table mfa_challenges add column organization_id text;
`;
