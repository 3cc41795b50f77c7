/** Mail domains of organizations, which their people may join by. */
export const up = `
alter table organizations add column invites_verified_domains_only boolean not null default false;

create table organization_domains (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  id text not null,
  -- In lower case and ASCII (A-labels), without a dot at the end.
  host text not null,
  status text not null check (status in ('pending', 'verified', 'lost')),
  -- The required value of the TXT record. Public, and never used for a second claim.
  token text not null,
  auto_join boolean not null,
  -- The roles in the organization of those who join by the domain.
  roles text[] not null,
  verified_at timestamptz,
  checked_at timestamptz,
  -- The fault found by the last look-up.
  fault text,
  -- Consecutive look-ups without proof.
  failed_checks integer not null,
  next_check_at timestamptz,
  created_at timestamptz not null,
  primary key (workspace_id, project_id, environment, organization_id, id),
  foreign key (workspace_id, project_id, environment, organization_id) references organizations on delete cascade
);
create unique index organization_domains_claim
  on organization_domains (workspace_id, project_id, environment, organization_id, host);
-- One holder in a project environment.
create unique index organization_domains_verified
  on organization_domains (workspace_id, project_id, environment, host) where status = 'verified';
create index organization_domains_joined_by on organization_domains (workspace_id, project_id, environment)
  where auto_join and status = 'verified';
create index organization_domains_due on organization_domains (next_check_at) where status = 'verified';

-- Who left an organization or was removed from it does not join it again by a domain.
create table organization_departures (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  member_id text not null,
  primary key (workspace_id, project_id, environment, organization_id, member_id),
  foreign key (workspace_id, project_id, environment, organization_id) references organizations on delete cascade,
  foreign key (workspace_id, project_id, environment, member_id) references members on delete cascade
);
create index organization_departures_of_member on organization_departures (workspace_id, project_id, environment, member_id);
`;
