/**
 * What was obtained through a grant of the OpenID provider notes the grant and the application, and ends with them. A session is
 * in a project once by itself, and once for each grant that leads there. A process of before writes entries without a grant.
 *
 * Scopes that do not exist were granted as asked; they go from what is kept.
 */
export const up = `
alter table scope_entries add column application_id text, add column grant_id text;
drop index scope_entries_live;
create unique index scope_entries_live on scope_entries (workspace_id, environment, session_id, project_id, coalesce(grant_id, ''))
  where revoked_at is null;
-- Led by what is looked for, so that they serve nothing else.
create index scope_entries_of_grant on scope_entries (grant_id, workspace_id, environment)
  where grant_id is not null and revoked_at is null;
create index scope_entries_of_application on scope_entries (application_id, workspace_id, environment)
  where application_id is not null and revoked_at is null;

update consents set scopes = array(
  select scope from unnest(scopes) as scope
  where scope = any('{openid,profile,email,phone,roles,permissions,offline_access}'))
where not scopes <@ '{openid,profile,email,phone,roles,permissions,offline_access}';
update oidc_records set payload = jsonb_set(payload, '{openid,scope}', to_jsonb((
  select coalesce(string_agg(scope, ' '), '') from unnest(string_to_array(payload #>> '{openid,scope}', ' ')) as scope
  where scope = any('{openid,profile,email,phone,roles,permissions,offline_access}'))))
where model = 'Grant' and not string_to_array(payload #>> '{openid,scope}', ' ')
  <@ '{openid,profile,email,phone,roles,permissions,offline_access}';
`;
