/** Organizations of a project, their members, and the roles that members may have in them. */
export const up = `
-- Earlier versions: their worker tries the removal of a project again until one of this version has done it.
create table organizations (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  name text not null,
  slug text,
  status text not null check (status in ('active', 'blocked')),
  metadata jsonb not null,
  search text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment, id),
  constraint organizations_slug unique (workspace_id, project_id, environment, slug),
  foreign key (workspace_id, project_id) references projects
);

-- Earlier versions: the same.
create table organization_roles (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  key text not null,
  name text not null,
  description text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment, key),
  foreign key (workspace_id, project_id) references projects
);

-- Earlier versions: they cannot remove a permission that an organization's role has, until the upgrade is done.
create table organization_role_permissions (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  role text not null,
  permission text not null,
  primary key (workspace_id, project_id, environment, role, permission),
  foreign key (workspace_id, project_id, environment, role) references organization_roles on delete cascade,
  -- No cascade: only an actor who has the permission may remove it from roles.
  foreign key (workspace_id, project_id, environment, permission) references permissions
);
create index organization_role_permissions_of_permission
  on organization_role_permissions (workspace_id, project_id, environment, permission);

create table organization_members (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  member_id text not null,
  roles text[] not null,
  created_at timestamptz not null,
  primary key (workspace_id, project_id, environment, organization_id, member_id),
  foreign key (workspace_id, project_id, environment, organization_id) references organizations on delete cascade,
  -- A person who leaves the project leaves its organizations.
  foreign key (workspace_id, project_id, environment, member_id) references members on delete cascade
);
-- Before the project: a person asks for theirs in all projects.
create index organizations_of_member
  on organization_members (workspace_id, environment, member_id, project_id, organization_id);

update roles set permissions = permissions || array['organizations:read', 'organizations:write'] where built_in and key = 'admin';
update roles set permissions = permissions || array['organizations:read'] where built_in and key = 'viewer';
`;
