/** APIs become records: each resource that an application named becomes an API that is granted to it. */
export const up = `
-- Earlier versions: their worker tries the removal of a project again until one of this version has done it.
create table apis (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  -- The audience of its tokens (RFC 8707).
  identifier text not null,
  name text not null,
  -- [{ id, name, description }]
  scopes jsonb not null,
  access_token_seconds integer,
  require_permissions boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment, id),
  constraint apis_identifier unique (workspace_id, project_id, environment, identifier),
  foreign key (workspace_id, project_id) references projects
);

insert into apis
select workspace_id, project_id, environment, 'api_01' || substr(md5(random()::text || resource), 1, 24), resource,
  left(resource, 100), '[]', null, false, now(), now()
from (
  select distinct workspace_id, project_id, environment, unnest(resources) as resource
  from applications where kind <> 'management'
) named;

-- [{ apiId, scopes, machineScopes }], both by the ids of scopes. The column resources stays for processes of earlier versions.
alter table applications add column apis jsonb not null default '[]';
update applications a set apis = (
  select jsonb_agg(jsonb_build_object('apiId', p.id, 'scopes', '[]'::jsonb, 'machineScopes', '[]'::jsonb) order by p.id)
  from apis p
  where (p.workspace_id, p.project_id, p.environment) = (a.workspace_id, a.project_id, a.environment)
    and p.identifier = any(a.resources)
)
where a.kind <> 'management' and cardinality(a.resources) > 0;

update roles set permissions = permissions || array['apis:read', 'apis:write'] where built_in and key = 'admin';
update roles set permissions = permissions || array['apis:read'] where built_in and key = 'viewer';
`;
