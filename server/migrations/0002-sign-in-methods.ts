/** Every way in: one-time flows, second factors, passkeys, upstream identities, invitations, message templates. */
export const up = `
alter table verifications rename to flows;
alter table flows rename constraint verifications_pkey to flows_pkey;
alter index verifications_expired rename to flows_expired;
alter table flows
  -- The mailed link; a flow may be finished by it or by the code.
  add column token_hash bytea,
  add column code_expires_at timestamptz,
  -- Nothing proves it: stored so that an address without an account costs the same.
  add column decoy boolean not null default false,
  -- The requester, shown to the person before a link is used on another device.
  add column ip inet,
  add column user_agent text;
-- Checked at use; a reference would make a flow with an account more expensive than one without (AU-6).
alter table flows drop constraint verifications_workspace_id_environment_user_id_fkey;
update flows set decoy = true where code_hash is null;
update flows set code_expires_at = expires_at;
alter table flows alter column code_expires_at set not null;
create unique index flows_token on flows (workspace_id, environment, token_hash) where token_hash is not null;

-- Second factors that are not passkeys: an authenticator app, or a phone.
create table mfa_factors (
  workspace_id text not null,
  environment text not null,
  id text not null,
  user_id text not null,
  kind text not null check (kind in ('totp', 'phone')),
  secret_sealed text,
  phone text,
  -- The newest time step a code was accepted for: no code works twice.
  last_step bigint not null default 0,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  last_used_at timestamptz,
  primary key (workspace_id, environment, id),
  foreign key (workspace_id, environment, user_id) references users on delete cascade
);
create unique index mfa_factors_confirmed on mfa_factors (workspace_id, environment, user_id, kind) where confirmed_at is not null;
create index mfa_factors_of_user on mfa_factors (workspace_id, environment, user_id);

create table recovery_codes (
  workspace_id text not null,
  environment text not null,
  user_id text not null,
  hash bytea not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (workspace_id, environment, user_id, hash),
  foreign key (workspace_id, environment, user_id) references users on delete cascade
);

create table passkeys (
  workspace_id text not null,
  environment text not null,
  id text not null,
  user_id text not null,
  rp_id text not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  device_type text not null,
  backed_up boolean not null,
  aaguid text not null,
  name text not null,
  -- Whether it is also a second factor after a password.
  second_factor boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (workspace_id, environment, id),
  foreign key (workspace_id, environment, user_id) references users on delete cascade
);
create unique index passkeys_credential on passkeys (workspace_id, environment, credential_id);
create index passkeys_of_user on passkeys (workspace_id, environment, user_id);

create table passkey_challenges (
  workspace_id text not null references workspaces,
  environment text not null,
  id text not null,
  user_id text,
  challenge text not null,
  rp_id text not null,
  expires_at timestamptz not null,
  primary key (workspace_id, environment, id)
);
create index passkey_challenges_expired on passkey_challenges (expires_at);

-- A sign-in that waits for its second factor.
create table mfa_challenges (
  workspace_id text not null,
  environment text not null,
  id text not null,
  hash bytea not null,
  project_id text not null,
  user_id text not null,
  amr text[] not null,
  -- The policy asks for a factor and the person has none yet.
  enrolling boolean not null,
  factor_id text,
  code_hash bytea,
  code_expires_at timestamptz,
  attempts_left integer not null,
  resend_after timestamptz,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null,
  primary key (workspace_id, environment, id),
  foreign key (workspace_id, environment, user_id) references users on delete cascade
);
create unique index mfa_challenges_hash on mfa_challenges (workspace_id, environment, hash);
create index mfa_challenges_expired on mfa_challenges (expires_at);

create table remembered_devices (
  workspace_id text not null,
  environment text not null,
  id text not null,
  user_id text not null,
  hash bytea not null,
  ip inet,
  user_agent text,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (workspace_id, environment, id),
  foreign key (workspace_id, environment, user_id) references users on delete cascade
);
create unique index remembered_devices_hash on remembered_devices (workspace_id, environment, hash);
create index remembered_devices_of_user on remembered_devices (workspace_id, environment, user_id);

-- Accounts at identity providers, keyed by issuer and subject, never by address.
create table linked_identities (
  workspace_id text not null,
  environment text not null,
  issuer text not null,
  subject text collate "C" not null,
  id text not null,
  user_id text not null,
  provider text not null,
  email text,
  linked_at timestamptz not null,
  last_used_at timestamptz not null,
  primary key (workspace_id, environment, issuer, subject),
  foreign key (workspace_id, environment, user_id) references users on delete cascade
);
create unique index linked_identities_id on linked_identities (workspace_id, environment, id);
create index linked_identities_of_user on linked_identities (workspace_id, environment, user_id);

create table identity_providers (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  -- Names the provider in addresses.
  key text not null,
  name text not null,
  preset text not null,
  client_id text not null,
  client_secret_sealed text,
  options jsonb not null,
  enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment, id),
  foreign key (workspace_id, project_id) references projects
);
create unique index identity_providers_key on identity_providers (workspace_id, project_id, environment, key);

-- Browsers that were sent to an identity provider and have not returned yet.
create table upstream_flows (
  workspace_id text not null references workspaces,
  environment text not null,
  state_hash bytea not null,
  project_id text not null,
  provider_id text not null,
  browser_hash bytea not null,
  sealed text not null,
  expires_at timestamptz not null,
  primary key (workspace_id, environment, state_hash)
);
create index upstream_flows_expired on upstream_flows (expires_at);

-- One-time codes handed to an application at its redirect address.
create table exchange_codes (
  workspace_id text not null references workspaces,
  environment text not null,
  hash bytea not null,
  project_id text not null,
  purpose text not null,
  sealed text not null,
  expires_at timestamptz not null,
  primary key (workspace_id, environment, hash)
);
create index exchange_codes_expired on exchange_codes (expires_at);

create table invitations (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  email text collate "C" not null,
  roles text[] not null,
  token_hash bytea not null,
  invited_by jsonb not null,
  locale text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  primary key (workspace_id, project_id, environment, id),
  foreign key (workspace_id, project_id) references projects
);
create unique index invitations_token on invitations (workspace_id, environment, token_hash);
create unique index invitations_open on invitations (workspace_id, project_id, environment, email) where accepted_at is null and revoked_at is null;

create table message_templates (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  template text not null,
  locale text not null,
  subject text not null,
  body text not null,
  action text not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment, template, locale),
  foreign key (workspace_id, project_id) references projects
);

alter table messages
  drop constraint messages_status_check,
  add constraint messages_status_check check (status in ('queued', 'sent', 'failed', 'expired', 'suppressed')),
  add column template text not null default 'none',
  add column attempts integer not null default 0,
  add column provider text,
  add column expires_at timestamptz;
alter table messages alter column template drop default;
create index messages_of_scope on messages (workspace_id, project_id, environment, id desc);

-- Solved proof-of-work challenges, each of which counts once.
create table spent_proofs (
  workspace_id text not null references workspaces,
  environment text not null,
  hash bytea not null,
  expires_at timestamptz not null,
  primary key (workspace_id, environment, hash)
);
create index spent_proofs_expired on spent_proofs (expires_at);

create index applications_origins on applications using gin (origins);
`;
