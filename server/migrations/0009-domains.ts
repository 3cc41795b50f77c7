/** Custom domains with their purposes and certificates; applications that register themselves. */
export const up = `
create table domains (
  workspace_id text not null references workspaces,
  id text not null,
  project_id text not null,
  environment text not null check (environment in ('test', 'production')),
  -- In lower case and ASCII (A-labels), without a dot at the end.
  host text not null,
  status text not null check (status in ('pending', 'verified', 'lost')),
  -- The required value of the TXT record. Public, and never used for a second claim.
  token text not null,
  verified_at timestamptz,
  lost_at timestamptz,
  checked_at timestamptz,
  -- The fault found by the last look-up.
  fault text,
  -- Consecutive look-ups without proof.
  failed_checks integer not null default 0,
  next_check_at timestamptz,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);
create index domains_of_scope on domains (workspace_id, project_id, environment, id);
create unique index domains_claim on domains (workspace_id, project_id, environment, host);
-- One holder in the whole installation.
create unique index domains_verified on domains (host) where status = 'verified';
create index domains_due on domains (next_check_at) where status = 'verified';

create table domain_bindings (
  workspace_id text not null,
  domain_id text not null,
  purpose text not null check (purpose in ('auth', 'api')),
  created_at timestamptz not null,
  primary key (workspace_id, domain_id, purpose),
  foreign key (workspace_id, domain_id) references domains on delete cascade
);

create table domain_certificates (
  workspace_id text not null,
  domain_id text not null,
  -- Null until the first one is issued.
  key_sealed text,
  chain text,
  not_after timestamptz,
  fault text,
  failed_orders integer not null default 0,
  -- When the next one is ordered.
  order_at timestamptz not null,
  primary key (workspace_id, domain_id),
  foreign key (workspace_id, domain_id) references domains on delete cascade
);
create index domain_certificates_due on domain_certificates (order_at);

-- The installation's account at a certificate authority.
create table acme_accounts (
  directory text primary key,
  key_sealed text not null,
  created_at timestamptz not null
);

-- Proofs that a certificate authority will ask for, from any process (RFC 8555 §8.3).
create table acme_challenges (
  token text primary key,
  key_authorization text not null,
  expires_at timestamptz not null
);

-- Let a program register itself as an application (RFC 7591 §3).
create table registration_tokens (
  workspace_id text not null references workspaces,
  project_id text not null,
  environment text not null check (environment in ('test', 'production')),
  id text not null,
  hash bytea not null,
  name text not null,
  -- Hosts that redirect addresses may be on; empty: any.
  redirect_hosts text[] not null,
  quota integer not null,
  registered integer not null default 0,
  expires_at timestamptz,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);
create index registration_tokens_of_scope on registration_tokens (workspace_id, project_id, environment, id);
create unique index registration_tokens_hash on registration_tokens (workspace_id, hash);

-- The token an application registered itself with; null: an administrator added it.
alter table applications add column registration_token_id text;
`;
