/** Resource types of projects, and the relations of people and organizations to resources. */
export const up = `
create table resource_types (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  key text not null,
  name text not null,
  description text not null,
  -- The keys of the relations, in the order of the type.
  relations text[] not null,
  -- Types of parent resources, with the relations that each gives.
  parents jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment, key)
);

-- What a relation gives. A permission stays as long as a type names it, so that a later one with its key is given to nobody.
-- Earlier versions: they refuse to delete such a permission, and a worker of this version goes on with the removal of a project.
create table resource_type_permissions (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  resource_type text not null,
  relation text not null,
  permission text not null,
  primary key (workspace_id, project_id, environment, resource_type, relation, permission),
  foreign key (workspace_id, project_id, environment, resource_type) references resource_types on delete cascade,
  foreign key (workspace_id, project_id, environment, permission) references permissions (workspace_id, project_id, environment, key)
);
create index resource_types_of_permission
  on resource_type_permissions (workspace_id, project_id, environment, permission);

-- Earlier versions: they give every group an id of its own. A relation names a group by its id alone.
create unique index scim_groups_id on scim_groups (workspace_id, project_id, environment, id);

create table resource_relations (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  resource_type text not null,
  -- In the order of bytes, so that a page continues after an id in every database.
  resource_id text collate "C" not null,
  relation text not null,
  -- As the API writes it: user:usr_…, organization:org_…, organization:org_…#role, group:scg_…, or a parent resource.
  subject text collate "C" not null,
  -- The record that the subject names. The relation goes with it.
  member_id text,
  organization_id text,
  organization_role text,
  group_id text,
  expires_at timestamptz,
  created_at timestamptz not null,
  primary key (workspace_id, project_id, environment, resource_type, resource_id, relation, subject),
  foreign key (workspace_id, project_id, environment, resource_type) references resource_types on delete cascade,
  foreign key (workspace_id, project_id, environment, member_id)
    references members (workspace_id, project_id, environment, id) on delete cascade,
  foreign key (workspace_id, project_id, environment, organization_id)
    references organizations (workspace_id, project_id, environment, id) on delete cascade,
  foreign key (workspace_id, project_id, environment, organization_role)
    references organization_roles (workspace_id, project_id, environment, key) on delete cascade,
  foreign key (workspace_id, project_id, environment, group_id)
    references scim_groups (workspace_id, project_id, environment, id) on delete cascade
);
create index resource_relations_of_subject on resource_relations
  (workspace_id, project_id, environment, subject, resource_type, relation, resource_id);
create index resource_relations_of_member
  on resource_relations (workspace_id, environment, member_id, project_id) where member_id is not null;
create index resource_relations_of_organization
  on resource_relations (workspace_id, project_id, environment, organization_id) where organization_id is not null;
create index resource_relations_of_group
  on resource_relations (workspace_id, project_id, environment, group_id) where group_id is not null;
create index resource_relations_of_role
  on resource_relations (workspace_id, project_id, environment, organization_role) where organization_role is not null;
create index resource_relations_expired on resource_relations (expires_at) where expires_at is not null;

update roles set permissions = permissions || array['relations:read', 'relations:write'] where built_in and key = 'admin';
update roles set permissions = permissions || array['relations:read'] where built_in and key = 'viewer';
`;
