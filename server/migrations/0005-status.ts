/**
 * The public status of the installation, per environment: components and their measurements, incidents, maintenances
 * and subscribers. It belongs to no tenant, so its tables have no workspace.
 */
export const up = `
-- One row per environment. Every visible change locks it first, so changes are serialized.
create table status_boards (
  environment text primary key check (environment in ('test', 'production')),
  overall text not null default 'operational' check (overall in ('operational', 'degraded')),
  overall_since timestamptz not null default now(),
  -- The automatic reaction to a failing component: nothing, a draft to publish, or a public incident.
  automatic text not null default 'publish' check (automatic in ('off', 'draft', 'publish')),
  alert_emails text[] not null default '{}',
  -- The time of the latest measurement.
  measured_at timestamptz
);
insert into status_boards (environment) values ('test'), ('production');

create table status_groups (
  environment text not null references status_boards,
  id text not null,
  -- Null: built in, named in the reader's language.
  name text,
  position integer not null,
  primary key (environment, id)
);

create table status_components (
  environment text not null,
  id text not null,
  group_id text not null,
  name text,
  description text,
  position integer not null,
  shown text not null check (shown in ('always', 'when_degraded', 'never')),
  -- Null: built in. Otherwise how it is checked.
  probe jsonb,
  -- For a component that reports by itself: its secret, and its last report.
  heartbeat_hash bytea,
  heartbeat_at timestamptz,
  -- The measured status; incidents and maintenances are added when it is shown.
  status text not null check (status in ('operational', 'degraded_performance', 'partial_outage', 'major_outage')),
  status_since timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (environment, id),
  foreign key (environment, group_id) references status_groups
);
create unique index status_components_heartbeat on status_components (heartbeat_hash) where heartbeat_hash is not null;

-- Real traffic, counted by every process and added up per minute.
create table status_signals (
  environment text not null,
  signal text not null,
  minute timestamptz not null,
  good bigint not null,
  bad bigint not null,
  primary key (environment, signal, minute)
);

-- The worst of each minute, for three days; days are added up at the same time and kept for two years.
create table status_minutes (
  environment text not null,
  component_id text not null,
  minute timestamptz not null,
  status text not null,
  primary key (environment, component_id, minute)
);
create index status_minutes_old on status_minutes (minute);
create table status_days (
  environment text not null,
  component_id text not null,
  day date not null,
  -- Minutes.
  operational integer not null,
  degraded integer not null,
  partial integer not null,
  major integer not null,
  maintenance integer not null,
  primary key (environment, component_id, day)
);

create table status_incidents (
  environment text not null references status_boards,
  id text not null,
  title text not null,
  phase text not null check (phase in ('investigating', 'identified', 'monitoring', 'resolved')),
  severity text not null check (severity in ('minor', 'major', 'critical')),
  component_ids text[] not null,
  -- The status that the incident gives to components, besides the measured one.
  component_statuses jsonb not null,
  -- No person has updated it: it is updated automatically.
  automatic boolean not null,
  -- Null: a draft.
  published_at timestamptz,
  started_at timestamptz not null,
  phase_since timestamptz not null,
  resolved_at timestamptz,
  postmortem text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (environment, id)
);
-- At most one is updated automatically.
create unique index status_incidents_automatic on status_incidents (environment) where automatic and phase <> 'resolved';
create index status_incidents_open on status_incidents (environment) where phase <> 'resolved';

create table status_maintenances (
  environment text not null references status_boards,
  id text not null,
  title text not null,
  phase text not null check (phase in ('scheduled', 'in_progress', 'verifying', 'completed')),
  component_ids text[] not null,
  begins_at timestamptz not null,
  ends_at timestamptz not null,
  -- Null: no reminder, or it was sent.
  remind_at timestamptz,
  began_at timestamptz,
  completed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (environment, id)
);

-- The updates of incidents and maintenances.
create table status_updates (
  environment text not null,
  -- The incident or maintenance.
  subject_id text not null,
  id text not null,
  phase text not null,
  body text not null,
  at timestamptz not null,
  primary key (environment, subject_id, id)
);

create table status_subscribers (
  environment text not null references status_boards,
  id text not null,
  channel text not null check (channel in ('email', 'webhook')),
  -- Empty once the subscription has ended; the digest stays, so that an import does not restore it.
  address text not null,
  address_digest bytea not null,
  state text not null check (state in ('pending', 'active', 'quarantined', 'unsubscribed')),
  -- Empty: all.
  component_ids text[] not null,
  locale text,
  source text not null check (source in ('self', 'import')),
  consent text not null,
  -- For a webhook: the secret that signs its messages.
  secret_sealed text,
  confirmed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (environment, id)
);
create unique index status_subscribers_address on status_subscribers (environment, channel, address_digest);
create index status_subscribers_active on status_subscribers (environment, id) where state = 'active';
create index status_subscribers_pending on status_subscribers (updated_at) where state = 'pending';

-- Codes that open the page of one's own subscription.
create table status_codes (
  environment text not null,
  id text not null,
  -- Null: no subscription has this address, which the page does not reveal.
  subscriber_id text,
  code_hash bytea not null,
  attempts_left integer not null,
  expires_at timestamptz not null,
  primary key (environment, id)
);

-- One row per notice, however many subscribers it has: the cursor is the last one it was queued for.
create table status_notices (
  environment text not null references status_boards,
  id text not null,
  subject_id text not null,
  content jsonb not null,
  component_ids text[] not null,
  cursor text not null,
  created_at timestamptz not null,
  done_at timestamptz,
  primary key (environment, id)
);
`;
