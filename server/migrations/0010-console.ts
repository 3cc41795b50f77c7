/** The console: its built-in workspace, the teams of workspaces, sessions of operators, and figures per day. */
export const up = `
-- The workspace whose people are the operators, and the console as its application; one row.
create table console_installation (
  workspace_id text primary key references workspaces,
  project_id text not null,
  application_id text not null,
  client_id text not null,
  secret_sealed text not null,
  -- The address for which the application was last configured.
  console_url text not null,
  created_at timestamptz not null
);
create unique index console_installation_one on console_installation ((true));

-- Operators of a workspace. The people themselves are users of the built-in workspace.
create table team_members (
  workspace_id text not null references workspaces,
  id text not null,
  user_id text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'billing', 'support', 'analyst', 'viewer')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);
create unique index team_members_of_user on team_members (user_id, workspace_id);

create table team_invitations (
  workspace_id text not null references workspaces,
  id text not null,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'billing', 'support', 'analyst', 'viewer')),
  token_hash bytea not null,
  invited_by text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  primary key (workspace_id, id)
);
create unique index team_invitations_open on team_invitations (workspace_id, email) where accepted_at is null and revoked_at is null;
create unique index team_invitations_token on team_invitations (workspace_id, token_hash);

create table console_sessions (
  -- The built-in workspace.
  workspace_id text not null references workspaces,
  hash bytea not null,
  user_id text not null,
  -- The session at the auth host with which it ends.
  session_id text not null,
  auth_time timestamptz not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (workspace_id, hash)
);
create index console_sessions_of_session on console_sessions (workspace_id, session_id);
create index console_sessions_expired on console_sessions (expires_at);

-- Counted from the event log as events are numbered, so that a chart reads a row per day.
create table daily_figures (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  figure text not null,
  -- UTC; of a month, its first day.
  day date not null,
  count bigint not null,
  primary key (workspace_id, project_id, environment, figure, day)
);

-- Users that are already counted as active.
create table active_people (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  figure text not null,
  day date not null,
  user_id text not null,
  primary key (workspace_id, project_id, environment, figure, day, user_id)
);
create index active_people_old on active_people (day);

insert into active_people (workspace_id, project_id, environment, figure, day, user_id)
select distinct workspace_id, project_id, environment, p.figure,
       date_trunc(p.unit, occurred_at at time zone 'utc')::date, data->>'userId'
from events cross join (values ('active', 'day'), ('active_month', 'month')) as p (figure, unit)
where sequence is not null and not example and type in ('user.login', 'session.context_switched') and data->>'userId' is not null;

insert into daily_figures (workspace_id, project_id, environment, figure, day, count)
select workspace_id, project_id, environment, figure, day, count(*) from (
  select workspace_id, project_id, environment, (occurred_at at time zone 'utc')::date as day,
         case type when 'user.login' then 'sign_ins' when 'membership.created' then 'new_members' else 'failures' end as figure
  from events
  where sequence is not null and not example
    and type in ('user.login', 'membership.created', 'user.login_failed', 'user.mfa.failed')
  union all
  select workspace_id, project_id, environment, day, figure from active_people
) counted
group by workspace_id, project_id, environment, figure, day;
`;
