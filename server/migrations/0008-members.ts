/** Finding people, erasing them, and importing many. */
export const up = `
-- Both come with every PostgreSQL and may be added by the owner of the database.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- The searchable fields of a person, folded to ASCII, each preceded by a line feed.
alter table users add column search text collate "C" not null default '';
-- When the account is erased, unless its person signs in before.
alter table users add column erase_at timestamptz;

update users u set search = coalesce((
  select string_agg(E'\\n' || lower(regexp_replace(normalize(line, nfkd), '[\\u0300-\\u036f]', '', 'g')), '')
  from (
    select i.value from identifiers i
    where (i.workspace_id, i.environment, i.user_id) = (u.workspace_id, u.environment, u.id)
    union select display_name from users d where (d.workspace_id, d.environment, d.id) = (u.workspace_id, u.environment, u.id)
  ) lines (line)
), '');

drop index users_display_name;
-- One expression for the realm, which no other index serves. The pending list is small, because every search reads it.
create index users_search on users using gin ((workspace_id || ' ' || environment), search gin_trgm_ops)
  with (gin_pending_list_limit = 2048);

-- Its own settings, so that the plan does not depend on the statistics of the table.
create function users_matching(realm text, wanted text, most integer) returns setof text
language plpgsql stable set enable_seqscan = off set enable_indexscan = off as $$
begin
  return query select u.id from users u
    where u.workspace_id || ' ' || u.environment = realm and u.search like wanted
    order by u.id desc limit most;
end $$;

-- Few members are not active.
create index members_not_active on members (workspace_id, project_id, environment, status, id) where status <> 'active';

-- Events about a person, for their export and erasure.
create index events_of_user on events (workspace_id, environment, (data->>'userId'), id) where data ? 'userId';
create index events_of_invitation on events (workspace_id, environment, (data->>'email')) where data ? 'invitationId';
create index invitations_of_email on invitations (workspace_id, environment, email);
create index messages_of_recipient on messages (workspace_id, environment, recipient);

create table member_imports (
  workspace_id text not null,
  project_id text not null,
  environment text not null check (environment in ('test', 'production')),
  id text not null,
  status text not null check (status in ('receiving', 'queued', 'running', 'completed')),
  dry_run boolean not null,
  -- The actor in whose name the rows are added, and the permissions the actor may grant.
  actor jsonb not null,
  bytes bigint not null default 0,
  rows integer not null default 0,
  chunks integer not null default 0,
  chunks_done integer not null default 0,
  created integer not null default 0,
  joined integer not null default 0,
  unchanged integer not null default 0,
  failed integer not null default 0,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  primary key (workspace_id, project_id, environment, id),
  foreign key (workspace_id, project_id) references projects
);
create index member_imports_old on member_imports (created_at);

create table member_import_chunks (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  import_id text not null,
  number integer not null,
  -- The position of its first row in the import, counted from 1.
  first_row integer not null,
  rows integer not null,
  -- One row per line; null once they are processed.
  content text,
  -- A letter for each row: c created, j joined, u unchanged, f failed.
  outcomes text,
  failed integer not null default 0,
  -- Why rows failed: { row, errors }.
  faults jsonb not null default '[]',
  primary key (workspace_id, project_id, environment, import_id, number),
  foreign key (workspace_id, project_id, environment, import_id) references member_imports on delete cascade
);
create index member_import_chunks_waiting on member_import_chunks (workspace_id, project_id, environment, import_id, number)
  where content is not null;
create index member_import_chunks_failed on member_import_chunks (workspace_id, project_id, environment, import_id, number)
  where failed > 0;
`;
