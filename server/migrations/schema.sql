-- What the migrations add up to. Written by the test of the migrations with UPDATE_SCHEMA=1; never edited, never run.

create table acme_accounts (
  directory text not null,
  key_sealed text not null,
  created_at timestamp with time zone not null,
  constraint acme_accounts_pkey PRIMARY KEY (directory)
);

create table acme_challenges (
  token text not null,
  key_authorization text not null,
  expires_at timestamp with time zone not null,
  constraint acme_challenges_pkey PRIMARY KEY (token)
);

create table action_calls (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  action_id text not null,
  id text not null,
  moment text not null,
  dry_run boolean not null,
  occurred_at timestamp with time zone not null,
  duration_ms integer not null,
  status_code integer,
  decision text not null,
  error text,
  correlation_id text not null,
  constraint action_calls_pkey PRIMARY KEY (workspace_id, project_id, environment, action_id, id),
  constraint action_calls_workspace_id_project_id_environment_action_id_fkey FOREIGN KEY (workspace_id, project_id, environment, action_id) REFERENCES actions(workspace_id, project_id, environment, id) ON DELETE CASCADE
);

create table actions (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  name text not null,
  moment text not null,
  url text not null,
  secrets jsonb not null,
  enabled boolean not null,
  "position" integer not null,
  timeout_ms integer not null,
  on_failure text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint actions_pkey PRIMARY KEY (workspace_id, project_id, environment, id),
  constraint actions_on_failure_check CHECK ((on_failure = ANY (ARRAY['continue'::text, 'refuse'::text])))
);

create table active_people (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  figure text not null,
  day date not null,
  user_id text not null,
  constraint active_people_pkey PRIMARY KEY (workspace_id, project_id, environment, figure, day, user_id)
);
CREATE INDEX active_people_old ON public.active_people USING btree (day);

create table apis (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  identifier text not null,
  name text not null,
  scopes jsonb not null,
  access_token_seconds integer,
  require_permissions boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint apis_pkey PRIMARY KEY (workspace_id, project_id, environment, id),
  constraint apis_identifier UNIQUE (workspace_id, project_id, environment, identifier),
  constraint apis_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);

create table application_secrets (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  application_id text not null,
  id text not null,
  hash bytea not null,
  hint text not null,
  created_at timestamp with time zone not null,
  constraint application_secrets_pkey PRIMARY KEY (workspace_id, project_id, environment, application_id, id),
  constraint application_secrets_workspace_id_project_id_environment_ap_fkey FOREIGN KEY (workspace_id, project_id, environment, application_id) REFERENCES applications(workspace_id, project_id, environment, id) ON DELETE CASCADE
);

create table applications (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  client_id text not null,
  kind text not null,
  name text not null,
  redirect_uris text[] not null default '{}'::text[],
  origins text[] not null default '{}'::text[],
  permissions text[] not null default '{}'::text[],
  enabled boolean not null default true,
  tokens_ended_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  post_logout_redirect_uris text[] not null default '{}'::text[],
  backchannel_logout_uri text,
  first_party boolean not null default true,
  subject_type text not null default 'public'::text,
  jwks jsonb,
  profile text not null default 'oauth'::text,
  resources text[] not null default '{}'::text[],
  dpop_bound boolean not null default false,
  registration_token_id text,
  grants text[] not null,
  access_token_seconds integer,
  refresh_token_seconds integer,
  sign_ins_ended_at timestamp with time zone,
  pkce text not null default 'required'::text,
  id_token_claims text not null default 'requested'::text,
  apis jsonb not null default '[]'::jsonb,
  saml jsonb,
  uses_default_organization boolean not null default false,
  constraint applications_pkey PRIMARY KEY (workspace_id, project_id, environment, id),
  constraint applications_client_id_key UNIQUE (client_id),
  constraint applications_id_token_claims_check CHECK ((id_token_claims = ANY (ARRAY['requested'::text, 'scopes'::text]))),
  constraint applications_kind_check CHECK ((kind = ANY (ARRAY['spa'::text, 'web'::text, 'native'::text, 'management'::text, 'device'::text, 'saml'::text]))),
  constraint applications_pkce_check CHECK ((pkce = ANY (ARRAY['required'::text, 'optional'::text]))),
  constraint applications_pkce_needed CHECK (((pkce = 'required'::text) OR ((kind = 'web'::text) AND (profile = 'oauth'::text)))),
  constraint applications_profile_check CHECK ((profile = ANY (ARRAY['oauth'::text, 'fapi2'::text]))),
  constraint applications_subject_type_check CHECK ((subject_type = ANY (ARRAY['public'::text, 'pairwise'::text]))),
  constraint applications_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);
CREATE UNIQUE INDEX applications_client_id ON public.applications USING btree (workspace_id, client_id);
CREATE INDEX applications_metadata_due ON public.applications USING btree (COALESCE(((saml -> 'reading'::text) ->> 'dueAt'::text), ''::text)) WHERE ((saml ->> 'metadataUrl'::text) IS NOT NULL);
CREATE INDEX applications_origins ON public.applications USING gin (origins);

create table applied_migrations (
  id integer not null,
  name text not null,
  compatible_since integer,
  version text,
  applied_at timestamp with time zone not null default now(),
  constraint applied_migrations_pkey PRIMARY KEY (id)
);

create table audit_checkpoints (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  sequence bigint not null,
  hash bytea not null,
  signed text not null,
  created_at timestamp with time zone not null,
  constraint audit_checkpoints_pkey PRIMARY KEY (workspace_id, project_id, environment, sequence)
);

create table audit_entries (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  sequence bigint not null,
  id text not null,
  occurred_at timestamp with time zone not null,
  action text collate "C" not null,
  actor text not null,
  entry json,
  leaf bytea not null,
  hash bytea not null,
  constraint audit_entries_pkey PRIMARY KEY (workspace_id, project_id, environment, sequence)
);
CREATE INDEX audit_entries_by_action ON public.audit_entries USING btree (workspace_id, project_id, environment, action, occurred_at, sequence);
CREATE INDEX audit_entries_by_actor ON public.audit_entries USING btree (workspace_id, project_id, environment, actor, occurred_at, sequence);
CREATE INDEX audit_entries_by_time ON public.audit_entries USING btree (workspace_id, project_id, environment, occurred_at, sequence);

create table audit_heads (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  first bigint not null,
  sequence bigint not null,
  hash bytea not null,
  checkpoints bigint,
  constraint audit_heads_pkey PRIMARY KEY (workspace_id, project_id, environment)
);

create table audit_keys (
  purpose text not null,
  id text not null,
  public_jwk jsonb not null,
  private_sealed text not null,
  created_at timestamp with time zone not null,
  constraint audit_keys_pkey PRIMARY KEY (purpose),
  constraint audit_keys_purpose_check CHECK ((purpose = 'checkpoints'::text))
);

create table audit_resources (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  resource text collate "C" not null,
  occurred_at timestamp with time zone not null,
  sequence bigint not null,
  constraint audit_resources_pkey PRIMARY KEY (workspace_id, project_id, environment, resource, occurred_at, sequence)
);

create table backfills (
  name text not null,
  "position" text[],
  rows_done bigint not null default 0,
  rows_total bigint not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  completed_at timestamp with time zone,
  constraint backfills_pkey PRIMARY KEY (name)
);

create table backups (
  name text not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone not null,
  bytes bigint,
  row_count bigint,
  error text,
  verified_at timestamp with time zone,
  verify_error text,
  constraint backups_pkey PRIMARY KEY (name)
);

create table begun_registrations (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  address_hash bytea not null,
  begun_at timestamp with time zone not null,
  user_id text,
  constraint begun_registrations_pkey PRIMARY KEY (workspace_id, project_id, environment, address_hash)
);
CREATE INDEX begun_registrations_of_user ON public.begun_registrations USING btree (workspace_id, environment, user_id) WHERE (user_id IS NOT NULL);
CREATE INDEX begun_registrations_old ON public.begun_registrations USING btree (begun_at);

create table branding_images (
  workspace_id text not null,
  id text not null,
  project_id text not null,
  environment text not null,
  organization_id text,
  use text not null,
  hash text not null,
  type text not null,
  width integer not null,
  height integer not null,
  content bytea not null,
  updated_at timestamp with time zone not null,
  constraint branding_images_pkey PRIMARY KEY (workspace_id, id),
  constraint branding_images_workspace_id_project_id_environment_organi_fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id) REFERENCES organizations(workspace_id, project_id, environment, id) ON DELETE CASCADE,
  constraint branding_images_workspace_id_project_id_environment_organiz_key UNIQUE NULLS NOT DISTINCT (workspace_id, project_id, environment, organization_id, use)
);

create table connection_test_sign_ins (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  organization_id text not null,
  connection_id text not null,
  ticket_hash bytea not null,
  return_to text,
  begun_at timestamp with time zone,
  sealed text,
  expires_at timestamp with time zone not null,
  constraint connection_test_sign_ins_pkey PRIMARY KEY (workspace_id, project_id, environment, id)
);
CREATE INDEX connection_test_sign_ins_expired ON public.connection_test_sign_ins USING btree (expires_at);
CREATE UNIQUE INDEX connection_test_sign_ins_of_ticket ON public.connection_test_sign_ins USING btree (workspace_id, environment, ticket_hash);

create table consents (
  workspace_id text not null,
  environment text not null,
  user_id text not null,
  application_id text not null,
  scopes text[] not null,
  granted_at timestamp with time zone not null,
  constraint consents_pkey PRIMARY KEY (workspace_id, environment, user_id, application_id),
  constraint consents_workspace_id_environment_user_id_fkey FOREIGN KEY (workspace_id, environment, user_id) REFERENCES users(workspace_id, environment, id) ON DELETE CASCADE,
  constraint consents_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);

create table console_installation (
  workspace_id text not null,
  project_id text not null,
  application_id text not null,
  client_id text not null,
  secret_sealed text not null,
  console_url text not null,
  created_at timestamp with time zone not null,
  constraint console_installation_pkey PRIMARY KEY (workspace_id),
  constraint console_installation_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE UNIQUE INDEX console_installation_one ON public.console_installation USING btree ((true));

create table console_sessions (
  workspace_id text not null,
  hash bytea not null,
  user_id text not null,
  session_id text not null,
  auth_time timestamp with time zone not null,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  acr text,
  admitted_under text,
  on_device boolean,
  constraint console_sessions_pkey PRIMARY KEY (workspace_id, hash),
  constraint console_sessions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX console_sessions_expired ON public.console_sessions USING btree (expires_at);
CREATE INDEX console_sessions_of_session ON public.console_sessions USING btree (workspace_id, session_id);

create table daily_figures (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  figure text not null,
  day date not null,
  count bigint not null,
  constraint daily_figures_pkey PRIMARY KEY (workspace_id, project_id, environment, figure, day)
);

create table data_keys (
  number integer not null,
  id text not null,
  wrapped text not null,
  state text not null,
  from_secret boolean not null,
  created_at timestamp with time zone not null,
  constraint data_keys_pkey PRIMARY KEY (number),
  constraint data_keys_id_key UNIQUE (id),
  constraint data_keys_state_check CHECK ((state = ANY (ARRAY['next'::text, 'active'::text, 'former'::text, 'retired'::text])))
);
CREATE UNIQUE INDEX data_keys_state ON public.data_keys USING btree (state) WHERE (state = ANY (ARRAY['next'::text, 'active'::text]));

create table default_organizations (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  member_id text not null,
  organization_id text not null,
  constraint default_organizations_pkey PRIMARY KEY (workspace_id, project_id, environment, member_id),
  constraint default_organizations_workspace_id_project_id_environment__fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id, member_id) REFERENCES organization_members(workspace_id, project_id, environment, organization_id, member_id) ON DELETE CASCADE
);
CREATE INDEX default_organizations_of_organization ON public.default_organizations USING btree (workspace_id, project_id, environment, organization_id, member_id);

create table default_projects (
  environment text not null,
  workspace_id text not null,
  project_id text not null,
  constraint default_projects_pkey PRIMARY KEY (environment),
  constraint default_projects_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'production'::text]))),
  constraint default_projects_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);

create table domain_bindings (
  workspace_id text not null,
  domain_id text not null,
  purpose text not null,
  created_at timestamp with time zone not null,
  constraint domain_bindings_pkey PRIMARY KEY (workspace_id, domain_id, purpose),
  constraint domain_bindings_purpose_check CHECK ((purpose = ANY (ARRAY['auth'::text, 'api'::text, 'status'::text]))),
  constraint domain_bindings_workspace_id_domain_id_fkey FOREIGN KEY (workspace_id, domain_id) REFERENCES domains(workspace_id, id) ON DELETE CASCADE
);

create table domain_certificates (
  workspace_id text not null,
  domain_id text not null,
  key_sealed text,
  chain text,
  not_after timestamp with time zone,
  fault text,
  failed_orders integer not null default 0,
  order_at timestamp with time zone not null,
  constraint domain_certificates_pkey PRIMARY KEY (workspace_id, domain_id),
  constraint domain_certificates_workspace_id_domain_id_fkey FOREIGN KEY (workspace_id, domain_id) REFERENCES domains(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX domain_certificates_due ON public.domain_certificates USING btree (order_at);

create table domains (
  workspace_id text not null,
  id text not null,
  project_id text not null,
  environment text not null,
  host text not null,
  status text not null,
  token text not null,
  verified_at timestamp with time zone,
  lost_at timestamp with time zone,
  checked_at timestamp with time zone,
  fault text,
  failed_checks integer not null default 0,
  next_check_at timestamp with time zone,
  created_at timestamp with time zone not null,
  organization_id text,
  constraint domains_pkey PRIMARY KEY (workspace_id, id),
  constraint domains_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'production'::text]))),
  constraint domains_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'verified'::text, 'lost'::text]))),
  constraint domains_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE UNIQUE INDEX domains_claim ON public.domains USING btree (workspace_id, project_id, environment, host, COALESCE(organization_id, ''::text));
CREATE INDEX domains_due ON public.domains USING btree (next_check_at) WHERE (status = 'verified'::text);
CREATE INDEX domains_of_organization ON public.domains USING btree (workspace_id, project_id, environment, organization_id, id);
CREATE INDEX domains_of_scope ON public.domains USING btree (workspace_id, project_id, environment, id);
CREATE UNIQUE INDEX domains_verified ON public.domains USING btree (host) WHERE (status = 'verified'::text);

create table event_sequences (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  last bigint not null,
  constraint event_sequences_pkey PRIMARY KEY (workspace_id, project_id, environment)
);

create table events (
  workspace_id text not null,
  id text not null,
  project_id text not null,
  environment text not null,
  type text not null,
  occurred_at timestamp with time zone not null,
  actor jsonb not null,
  correlation_id text not null,
  trace_id text not null,
  data jsonb not null,
  sequence bigint,
  example boolean not null default false,
  counts jsonb,
  constraint events_pkey PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX events_in_order ON public.events USING btree (workspace_id, project_id, environment, sequence) WHERE (sequence IS NOT NULL);
CREATE INDEX events_of_invitation ON public.events USING btree (workspace_id, environment, ((data ->> 'email'::text))) WHERE (data ? 'invitationId'::text);
CREATE INDEX events_of_user ON public.events USING btree (workspace_id, environment, ((data ->> 'userId'::text)), id) WHERE (data ? 'userId'::text);
CREATE INDEX events_unnumbered ON public.events USING btree (id) WHERE (sequence IS NULL);

create table exchange_codes (
  workspace_id text not null,
  environment text not null,
  hash bytea not null,
  project_id text not null,
  purpose text not null,
  sealed text not null,
  expires_at timestamp with time zone not null,
  user_id text,
  constraint exchange_codes_pkey PRIMARY KEY (workspace_id, environment, hash),
  constraint exchange_codes_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX exchange_codes_expired ON public.exchange_codes USING btree (expires_at);
CREATE INDEX exchange_codes_of_user ON public.exchange_codes USING btree (user_id, workspace_id, environment) WHERE (user_id IS NOT NULL);

create table figures_by_key (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  figure text not null,
  day date not null,
  key text not null,
  count integer not null,
  constraint figures_by_key_pkey PRIMARY KEY (workspace_id, project_id, environment, figure, day, key)
);

create table flows (
  workspace_id text not null,
  environment text not null,
  id text not null,
  project_id text not null,
  purpose text not null,
  user_id text,
  channel text not null,
  address text not null,
  code_hash bytea,
  pending_sealed text,
  attempts_left integer not null,
  expires_at timestamp with time zone not null,
  resend_after timestamp with time zone not null,
  used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  token_hash bytea,
  code_expires_at timestamp with time zone not null,
  decoy boolean not null default false,
  ip inet,
  user_agent text,
  browser_hash bytea,
  constraint flows_pkey PRIMARY KEY (workspace_id, environment, id),
  constraint verifications_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'phone'::text]))),
  constraint verifications_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX flows_expired ON public.flows USING btree (expires_at);
CREATE UNIQUE INDEX flows_token ON public.flows USING btree (workspace_id, environment, token_hash) WHERE (token_hash IS NOT NULL);

create table idempotency_keys (
  id bytea not null,
  body_hash bytea not null,
  answer_sealed text,
  expires_at timestamp with time zone not null,
  workspace_id text not null default ''::text,
  constraint idempotency_keys_pkey PRIMARY KEY (workspace_id, id)
);
CREATE INDEX idempotency_keys_expired ON public.idempotency_keys USING btree (expires_at);
CREATE UNIQUE INDEX idempotency_keys_once ON public.idempotency_keys USING btree (id);

create table identifiers (
  workspace_id text not null,
  environment text not null,
  kind text not null,
  value text collate "C" not null,
  user_id text not null,
  verified_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint identifiers_pkey PRIMARY KEY (workspace_id, environment, kind, value),
  constraint identifiers_kind_check CHECK ((kind = ANY (ARRAY['email'::text, 'phone'::text, 'username'::text]))),
  constraint identifiers_workspace_id_environment_user_id_fkey FOREIGN KEY (workspace_id, environment, user_id) REFERENCES users(workspace_id, environment, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX identifiers_of_user ON public.identifiers USING btree (workspace_id, environment, user_id, kind);

create table identity_providers (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  key text not null,
  name text not null,
  preset text not null,
  client_id text not null,
  client_secret_sealed text,
  options jsonb not null,
  enabled boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint identity_providers_pkey PRIMARY KEY (workspace_id, project_id, environment, id),
  constraint identity_providers_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);
CREATE UNIQUE INDEX identity_providers_key ON public.identity_providers USING btree (workspace_id, project_id, environment, key);

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
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  revoked_at timestamp with time zone,
  organization_id text,
  roles_in_organization text[] not null default '{}'::text[],
  declined_at timestamp with time zone,
  constraint invitations_pkey PRIMARY KEY (workspace_id, project_id, environment, id),
  constraint invitations_workspace_id_project_id_environment_organizati_fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id) REFERENCES organizations(workspace_id, project_id, environment, id) ON DELETE CASCADE,
  constraint invitations_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);
CREATE INDEX invitations_of_email ON public.invitations USING btree (workspace_id, environment, email);
CREATE UNIQUE INDEX invitations_open ON public.invitations USING btree (workspace_id, project_id, environment, email, COALESCE(organization_id, ''::text)) WHERE ((accepted_at IS NULL) AND (revoked_at IS NULL));
CREATE INDEX invitations_to_organization ON public.invitations USING btree (workspace_id, project_id, environment, organization_id, id);
CREATE UNIQUE INDEX invitations_token ON public.invitations USING btree (workspace_id, environment, token_hash);

create table linked_identities (
  workspace_id text not null,
  environment text not null,
  issuer text not null,
  subject text collate "C" not null,
  id text not null,
  user_id text not null,
  provider text not null,
  email text,
  linked_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  proven_at timestamp with time zone,
  constraint linked_identities_pkey PRIMARY KEY (workspace_id, environment, issuer, subject),
  constraint linked_identities_workspace_id_environment_user_id_fkey FOREIGN KEY (workspace_id, environment, user_id) REFERENCES users(workspace_id, environment, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX linked_identities_id ON public.linked_identities USING btree (workspace_id, environment, id);
CREATE INDEX linked_identities_of_user ON public.linked_identities USING btree (workspace_id, environment, user_id);

create table log_stream_faults (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  stream_id text not null,
  id text not null,
  refused boolean not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  status_code integer,
  error text not null,
  response_snippet text,
  occurred_at timestamp with time zone not null,
  constraint log_stream_faults_pkey PRIMARY KEY (workspace_id, project_id, environment, stream_id, id),
  constraint log_stream_faults_workspace_id_project_id_environment_stre_fkey FOREIGN KEY (workspace_id, project_id, environment, stream_id) REFERENCES log_streams(workspace_id, project_id, environment, id) ON DELETE CASCADE
);

create table log_streams (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  name text not null,
  kind text not null,
  url text not null,
  types text[] not null,
  header text,
  ca_certificate text,
  client_certificate text,
  secret_sealed text,
  state text not null,
  "position" bigint not null,
  sent bigint not null,
  refused bigint not null,
  sent_at timestamp with time zone,
  failures integer not null,
  failing_since timestamp with time zone,
  next_attempt_at timestamp with time zone,
  told boolean not null,
  version integer not null,
  claim text,
  claimed_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint log_streams_pkey PRIMARY KEY (workspace_id, project_id, environment, id),
  constraint log_streams_state_check CHECK ((state = ANY (ARRAY['paused'::text, 'active'::text])))
);

create table member_import_chunks (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  import_id text not null,
  number integer not null,
  first_row integer not null,
  rows integer not null,
  content text,
  outcomes text,
  failed integer not null default 0,
  faults jsonb not null default '[]'::jsonb,
  constraint member_import_chunks_pkey PRIMARY KEY (workspace_id, project_id, environment, import_id, number),
  constraint member_import_chunks_workspace_id_project_id_environment_i_fkey FOREIGN KEY (workspace_id, project_id, environment, import_id) REFERENCES member_imports(workspace_id, project_id, environment, id) ON DELETE CASCADE
);
CREATE INDEX member_import_chunks_failed ON public.member_import_chunks USING btree (workspace_id, project_id, environment, import_id, number) WHERE (failed > 0);
CREATE INDEX member_import_chunks_waiting ON public.member_import_chunks USING btree (workspace_id, project_id, environment, import_id, number) WHERE (content IS NOT NULL);

create table member_import_dry_runs (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  import_id text not null,
  identifier text collate "C" not null,
  user_id text not null,
  constraint member_import_dry_runs_pkey PRIMARY KEY (workspace_id, project_id, environment, import_id, identifier),
  constraint member_import_dry_runs_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'production'::text]))),
  constraint member_import_dry_runs_workspace_id_project_id_environment_fkey FOREIGN KEY (workspace_id, project_id, environment, import_id) REFERENCES member_imports(workspace_id, project_id, environment, id) ON DELETE CASCADE
);

create table member_imports (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  status text not null,
  dry_run boolean not null,
  actor jsonb not null,
  bytes bigint not null default 0,
  rows integer not null default 0,
  chunks integer not null default 0,
  chunks_done integer not null default 0,
  created integer not null default 0,
  joined integer not null default 0,
  unchanged integer not null default 0,
  failed integer not null default 0,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  constraint member_imports_pkey PRIMARY KEY (workspace_id, project_id, environment, id),
  constraint member_imports_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'production'::text]))),
  constraint member_imports_status_check CHECK ((status = ANY (ARRAY['receiving'::text, 'queued'::text, 'running'::text, 'completed'::text]))),
  constraint member_imports_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);
CREATE INDEX member_imports_old ON public.member_imports USING btree (created_at);

create table member_roles (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  member_id text not null,
  role_id text not null,
  given_at timestamp with time zone not null default now(),
  constraint member_roles_pkey PRIMARY KEY (workspace_id, project_id, environment, member_id, role_id),
  constraint member_roles_workspace_id_project_id_environment_member_id_fkey FOREIGN KEY (workspace_id, project_id, environment, member_id) REFERENCES members(workspace_id, project_id, environment, id) ON DELETE CASCADE,
  constraint member_roles_workspace_id_project_id_environment_role_id_fkey FOREIGN KEY (workspace_id, project_id, environment, role_id) REFERENCES roles(workspace_id, project_id, environment, id)
);
CREATE INDEX member_roles_of_role ON public.member_roles USING btree (workspace_id, project_id, environment, role_id, member_id);

create table members (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  user_id text not null,
  status text not null,
  metadata jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone,
  known_as jsonb,
  blocked_by_directory boolean not null default false,
  constraint members_pkey PRIMARY KEY (workspace_id, project_id, environment, id),
  constraint members_status_check CHECK ((status = ANY (ARRAY['active'::text, 'invited'::text, 'blocked'::text]))),
  constraint members_workspace_id_environment_user_id_fkey FOREIGN KEY (workspace_id, environment, user_id) REFERENCES users(workspace_id, environment, id) ON DELETE CASCADE,
  constraint members_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);
CREATE INDEX members_not_active ON public.members USING btree (workspace_id, project_id, environment, status, id) WHERE (status <> 'active'::text);
CREATE UNIQUE INDEX members_of_user ON public.members USING btree (workspace_id, environment, user_id, project_id);

create table message_templates (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  template text not null,
  locale text not null,
  subject text not null,
  body text not null,
  action text not null,
  updated_at timestamp with time zone not null,
  constraint message_templates_pkey PRIMARY KEY (workspace_id, project_id, environment, template, locale),
  constraint message_templates_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);

create table messages (
  workspace_id text not null,
  id text not null,
  project_id text not null,
  environment text not null,
  channel text not null,
  recipient text not null,
  body_sealed text not null,
  status text not null,
  error text,
  created_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  template text not null,
  attempts integer not null default 0,
  provider text,
  expires_at timestamp with time zone,
  segments integer,
  sending_since timestamp with time zone,
  delivered_at timestamp with time zone,
  constraint messages_pkey PRIMARY KEY (workspace_id, id),
  constraint messages_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text]))),
  constraint messages_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sending'::text, 'sent'::text, 'delivered'::text, 'undelivered'::text, 'failed'::text, 'expired'::text, 'suppressed'::text]))),
  constraint messages_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX messages_newest ON public.messages USING btree (id DESC);
CREATE INDEX messages_of_recipient ON public.messages USING btree (workspace_id, environment, recipient);
CREATE INDEX messages_of_scope ON public.messages USING btree (workspace_id, project_id, environment, id DESC);
CREATE INDEX messages_unsettled ON public.messages USING btree (created_at) WHERE ((channel = 'sms'::text) AND (status = ANY (ARRAY['queued'::text, 'sending'::text])));

create table mfa_challenges (
  workspace_id text not null,
  environment text not null,
  id text not null,
  hash bytea not null,
  project_id text not null,
  user_id text not null,
  amr text[] not null,
  enrolling boolean not null,
  factor_id text,
  code_hash bytea,
  code_expires_at timestamp with time zone,
  attempts_left integer not null,
  resend_after timestamp with time zone,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  sign_in_methods text[] not null default '{}'::text[],
  organization_id text,
  saml_login text,
  constraint mfa_challenges_pkey PRIMARY KEY (workspace_id, environment, id),
  constraint mfa_challenges_workspace_id_environment_user_id_fkey FOREIGN KEY (workspace_id, environment, user_id) REFERENCES users(workspace_id, environment, id) ON DELETE CASCADE
);
CREATE INDEX mfa_challenges_expired ON public.mfa_challenges USING btree (expires_at);
CREATE UNIQUE INDEX mfa_challenges_hash ON public.mfa_challenges USING btree (workspace_id, environment, hash);
CREATE INDEX mfa_challenges_of_user ON public.mfa_challenges USING btree (user_id, workspace_id, environment);

create table mfa_factors (
  workspace_id text not null,
  environment text not null,
  id text not null,
  user_id text not null,
  kind text not null,
  secret_sealed text,
  phone text,
  last_step bigint not null default 0,
  created_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint mfa_factors_pkey PRIMARY KEY (workspace_id, environment, id),
  constraint mfa_factors_kind_check CHECK ((kind = ANY (ARRAY['totp'::text, 'phone'::text]))),
  constraint mfa_factors_workspace_id_environment_user_id_fkey FOREIGN KEY (workspace_id, environment, user_id) REFERENCES users(workspace_id, environment, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX mfa_factors_confirmed ON public.mfa_factors USING btree (workspace_id, environment, user_id, kind) WHERE (confirmed_at IS NOT NULL);
CREATE INDEX mfa_factors_of_user ON public.mfa_factors USING btree (workspace_id, environment, user_id);

create table oidc_records (
  issuer text not null,
  model text not null,
  id text not null,
  payload jsonb not null,
  grant_id text,
  uid text,
  user_code text,
  consumed_at timestamp with time zone,
  expires_at timestamp with time zone,
  session_id text,
  project_id text,
  workspace_id text not null default ''::text,
  constraint oidc_records_pkey PRIMARY KEY (workspace_id, issuer, model, id)
);
CREATE INDEX oidc_records_by_user_code ON public.oidc_records USING btree (issuer, user_code) WHERE (user_code IS NOT NULL);
CREATE INDEX oidc_records_expired ON public.oidc_records USING btree (expires_at);
CREATE INDEX oidc_records_of_grant ON public.oidc_records USING btree (issuer, grant_id) WHERE (grant_id IS NOT NULL);
CREATE INDEX oidc_records_of_impersonation ON public.oidc_records USING btree (((payload ->> 'workspaceId'::text))) WHERE ((model = 'Grant'::text) AND (payload ? 'impersonation'::text));
CREATE INDEX oidc_records_of_organization ON public.oidc_records USING btree (((payload ->> 'organizationId'::text)), ((payload ->> 'accountId'::text))) WHERE ((model = 'Grant'::text) AND (payload ? 'organizationId'::text));
CREATE INDEX oidc_records_of_project ON public.oidc_records USING btree (project_id) WHERE (project_id IS NOT NULL);
CREATE INDEX oidc_records_of_session ON public.oidc_records USING btree (session_id) WHERE (session_id IS NOT NULL);
CREATE UNIQUE INDEX oidc_records_once ON public.oidc_records USING btree (issuer, model, id);
CREATE UNIQUE INDEX oidc_records_uid ON public.oidc_records USING btree (issuer, model, uid) WHERE (uid IS NOT NULL);
CREATE UNIQUE INDEX oidc_records_uid_of_workspace ON public.oidc_records USING btree (workspace_id, issuer, model, uid) WHERE (uid IS NOT NULL);
CREATE UNIQUE INDEX oidc_records_user_code_of_workspace ON public.oidc_records USING btree (workspace_id, issuer, user_code) WHERE (user_code IS NOT NULL);

create table organization_brandings (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  branding jsonb not null,
  updated_at timestamp with time zone not null,
  constraint organization_brandings_pkey PRIMARY KEY (workspace_id, project_id, environment, organization_id),
  constraint organization_brandings_workspace_id_project_id_environment_fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id) REFERENCES organizations(workspace_id, project_id, environment, id) ON DELETE CASCADE
);

create table organization_connections (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  id text not null,
  kind text not null,
  name text not null,
  status text not null,
  required boolean not null,
  just_in_time boolean not null,
  roles text[] not null,
  attributes jsonb not null,
  group_roles jsonb not null,
  configuration jsonb not null,
  secret_sealed text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  keys_sealed text,
  constraint organization_connections_pkey PRIMARY KEY (workspace_id, project_id, environment, organization_id, id),
  constraint organization_connections_status_check CHECK ((status = ANY (ARRAY['enabled'::text, 'disabled'::text]))),
  constraint organization_connections_workspace_id_project_id_environme_fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id) REFERENCES organizations(workspace_id, project_id, environment, id) ON DELETE CASCADE
);
CREATE INDEX organization_connections_due ON public.organization_connections USING btree (((configuration ->> 'metadataDueAt'::text))) WHERE (kind = 'saml'::text);
CREATE INDEX organization_connections_enabled ON public.organization_connections USING btree (workspace_id, project_id, environment, organization_id) WHERE (status = 'enabled'::text);
CREATE UNIQUE INDEX organization_connections_id ON public.organization_connections USING btree (workspace_id, project_id, environment, id);

create table organization_departures (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  member_id text not null,
  by_directory boolean not null default false,
  constraint organization_departures_pkey PRIMARY KEY (workspace_id, project_id, environment, organization_id, member_id),
  constraint organization_departures_workspace_id_project_id_environme_fkey1 FOREIGN KEY (workspace_id, project_id, environment, member_id) REFERENCES members(workspace_id, project_id, environment, id) ON DELETE CASCADE,
  constraint organization_departures_workspace_id_project_id_environmen_fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id) REFERENCES organizations(workspace_id, project_id, environment, id) ON DELETE CASCADE
);
CREATE INDEX organization_departures_of_member ON public.organization_departures USING btree (workspace_id, project_id, environment, member_id);

create table organization_domains (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  id text not null,
  host text not null,
  status text not null,
  token text not null,
  auto_join boolean not null,
  roles text[] not null,
  verified_at timestamp with time zone,
  checked_at timestamp with time zone,
  fault text,
  failed_checks integer not null,
  next_check_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint organization_domains_pkey PRIMARY KEY (workspace_id, project_id, environment, organization_id, id),
  constraint organization_domains_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'verified'::text, 'lost'::text]))),
  constraint organization_domains_workspace_id_project_id_environment_o_fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id) REFERENCES organizations(workspace_id, project_id, environment, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX organization_domains_claim ON public.organization_domains USING btree (workspace_id, project_id, environment, organization_id, host);
CREATE INDEX organization_domains_due ON public.organization_domains USING btree (next_check_at) WHERE (status = 'verified'::text);
CREATE INDEX organization_domains_joined_by ON public.organization_domains USING btree (workspace_id, project_id, environment) WHERE (auto_join AND (status = 'verified'::text));
CREATE UNIQUE INDEX organization_domains_verified ON public.organization_domains USING btree (workspace_id, project_id, environment, host) WHERE (status = 'verified'::text);

create table organization_members (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  member_id text not null,
  roles text[] not null,
  created_at timestamp with time zone not null,
  constraint organization_members_pkey PRIMARY KEY (workspace_id, project_id, environment, organization_id, member_id),
  constraint organization_members_workspace_id_project_id_environment_m_fkey FOREIGN KEY (workspace_id, project_id, environment, member_id) REFERENCES members(workspace_id, project_id, environment, id) ON DELETE CASCADE,
  constraint organization_members_workspace_id_project_id_environment_o_fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id) REFERENCES organizations(workspace_id, project_id, environment, id) ON DELETE CASCADE
);
CREATE INDEX organizations_of_member ON public.organization_members USING btree (workspace_id, environment, member_id, project_id, organization_id);

create table organization_role_permissions (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  role text not null,
  permission text not null,
  constraint organization_role_permissions_pkey PRIMARY KEY (workspace_id, project_id, environment, role, permission),
  constraint organization_role_permission_workspace_id_project_id_envi_fkey1 FOREIGN KEY (workspace_id, project_id, environment, permission) REFERENCES permissions(workspace_id, project_id, environment, key),
  constraint organization_role_permissions_workspace_id_project_id_envi_fkey FOREIGN KEY (workspace_id, project_id, environment, role) REFERENCES organization_roles(workspace_id, project_id, environment, key) ON DELETE CASCADE
);
CREATE INDEX organization_role_permissions_of_permission ON public.organization_role_permissions USING btree (workspace_id, project_id, environment, permission);

create table organization_roles (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  key text not null,
  name text not null,
  description text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  delegable boolean not null default false,
  built_in_permissions text[] not null default '{}'::text[],
  constraint organization_roles_pkey PRIMARY KEY (workspace_id, project_id, environment, key),
  constraint organization_roles_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);

create table organizations (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  name text not null,
  slug text,
  status text not null,
  metadata jsonb not null,
  search text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  policy jsonb not null default '{}'::jsonb,
  invites_verified_domains_only boolean not null default false,
  constraint organizations_pkey PRIMARY KEY (workspace_id, project_id, environment, id),
  constraint organizations_slug UNIQUE (workspace_id, project_id, environment, slug),
  constraint organizations_status_check CHECK ((status = ANY (ARRAY['active'::text, 'blocked'::text]))),
  constraint organizations_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);

create table passkey_challenges (
  workspace_id text not null,
  environment text not null,
  id text not null,
  user_id text,
  challenge text not null,
  rp_id text not null,
  expires_at timestamp with time zone not null,
  purpose text,
  session_id text,
  constraint passkey_challenges_pkey PRIMARY KEY (workspace_id, environment, id),
  constraint passkey_challenges_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX passkey_challenges_expired ON public.passkey_challenges USING btree (expires_at);
CREATE INDEX passkey_challenges_of_user ON public.passkey_challenges USING btree (user_id, workspace_id, environment) WHERE (user_id IS NOT NULL);

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
  second_factor boolean not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint passkeys_pkey PRIMARY KEY (workspace_id, environment, id),
  constraint passkeys_workspace_id_environment_user_id_fkey FOREIGN KEY (workspace_id, environment, user_id) REFERENCES users(workspace_id, environment, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX passkeys_credential ON public.passkeys USING btree (workspace_id, environment, credential_id);
CREATE INDEX passkeys_of_user ON public.passkeys USING btree (workspace_id, environment, user_id);

create table passwords (
  workspace_id text not null,
  environment text not null,
  user_id text not null,
  hash text not null,
  changed_at timestamp with time zone not null,
  constraint passwords_pkey PRIMARY KEY (workspace_id, environment, user_id),
  constraint passwords_workspace_id_environment_user_id_fkey FOREIGN KEY (workspace_id, environment, user_id) REFERENCES users(workspace_id, environment, id) ON DELETE CASCADE
);

create table payment_notices (
  id text not null,
  received_at timestamp with time zone not null,
  constraint payment_notices_pkey PRIMARY KEY (id)
);

create table permissions (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  key text not null,
  description text not null,
  created_at timestamp with time zone not null,
  constraint permissions_pkey PRIMARY KEY (workspace_id, project_id, environment, key),
  constraint permissions_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);

create table project_environments (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  settings jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint project_environments_pkey PRIMARY KEY (workspace_id, project_id, environment),
  constraint project_environments_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'production'::text]))),
  constraint project_environments_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);

create table projects (
  workspace_id text not null,
  id text not null,
  name text not null,
  created_at timestamp with time zone not null,
  delete_at timestamp with time zone,
  removal_began_at timestamp with time zone,
  constraint projects_pkey PRIMARY KEY (workspace_id, id),
  constraint projects_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);

create table rate_limits (
  key text not null,
  points integer not null default 0,
  expire bigint,
  workspace_id text not null default ''::text,
  constraint rate_limits_pkey PRIMARY KEY (workspace_id, key)
);
CREATE INDEX rate_limits_expired ON public.rate_limits USING btree (expire);
CREATE UNIQUE INDEX rate_limits_once ON public.rate_limits USING btree (key);

create table recovery_codes (
  workspace_id text not null,
  environment text not null,
  user_id text not null,
  hash bytea not null,
  created_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (workspace_id, environment, user_id, hash),
  constraint recovery_codes_workspace_id_environment_user_id_fkey FOREIGN KEY (workspace_id, environment, user_id) REFERENCES users(workspace_id, environment, id) ON DELETE CASCADE
);

create table refresh_tokens (
  workspace_id text not null,
  environment text not null,
  hash bytea not null,
  entry_id text not null,
  session_id text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  successor text,
  constraint refresh_tokens_pkey PRIMARY KEY (workspace_id, environment, hash)
);
CREATE INDEX refresh_tokens_expired ON public.refresh_tokens USING btree (expires_at);

create table registration_tokens (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  hash bytea not null,
  name text not null,
  redirect_hosts text[] not null,
  quota integer not null,
  registered integer not null default 0,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint registration_tokens_pkey PRIMARY KEY (workspace_id, id),
  constraint registration_tokens_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'production'::text]))),
  constraint registration_tokens_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE UNIQUE INDEX registration_tokens_hash ON public.registration_tokens USING btree (workspace_id, hash);
CREATE INDEX registration_tokens_of_scope ON public.registration_tokens USING btree (workspace_id, project_id, environment, id);

create table remembered_devices (
  workspace_id text not null,
  environment text not null,
  id text not null,
  user_id text not null,
  hash bytea not null,
  ip inet,
  user_agent text,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint remembered_devices_pkey PRIMARY KEY (workspace_id, environment, id),
  constraint remembered_devices_workspace_id_environment_user_id_fkey FOREIGN KEY (workspace_id, environment, user_id) REFERENCES users(workspace_id, environment, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX remembered_devices_hash ON public.remembered_devices USING btree (workspace_id, environment, hash);
CREATE INDEX remembered_devices_of_user ON public.remembered_devices USING btree (workspace_id, environment, user_id);

create table resource_relations (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  resource_type text not null,
  resource_id text collate "C" not null,
  relation text not null,
  subject text collate "C" not null,
  member_id text,
  organization_id text,
  organization_role text,
  group_id text,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint resource_relations_pkey PRIMARY KEY (workspace_id, project_id, environment, resource_type, resource_id, relation, subject),
  constraint resource_relations_workspace_id_project_id_environment_gro_fkey FOREIGN KEY (workspace_id, project_id, environment, group_id) REFERENCES scim_groups(workspace_id, project_id, environment, id) ON DELETE CASCADE,
  constraint resource_relations_workspace_id_project_id_environment_mem_fkey FOREIGN KEY (workspace_id, project_id, environment, member_id) REFERENCES members(workspace_id, project_id, environment, id) ON DELETE CASCADE,
  constraint resource_relations_workspace_id_project_id_environment_or_fkey1 FOREIGN KEY (workspace_id, project_id, environment, organization_role) REFERENCES organization_roles(workspace_id, project_id, environment, key) ON DELETE CASCADE,
  constraint resource_relations_workspace_id_project_id_environment_org_fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id) REFERENCES organizations(workspace_id, project_id, environment, id) ON DELETE CASCADE,
  constraint resource_relations_workspace_id_project_id_environment_res_fkey FOREIGN KEY (workspace_id, project_id, environment, resource_type) REFERENCES resource_types(workspace_id, project_id, environment, key) ON DELETE CASCADE
);
CREATE INDEX resource_relations_expired ON public.resource_relations USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX resource_relations_of_group ON public.resource_relations USING btree (workspace_id, project_id, environment, group_id) WHERE (group_id IS NOT NULL);
CREATE INDEX resource_relations_of_member ON public.resource_relations USING btree (workspace_id, environment, member_id, project_id) WHERE (member_id IS NOT NULL);
CREATE INDEX resource_relations_of_organization ON public.resource_relations USING btree (workspace_id, project_id, environment, organization_id) WHERE (organization_id IS NOT NULL);
CREATE INDEX resource_relations_of_role ON public.resource_relations USING btree (workspace_id, project_id, environment, organization_role) WHERE (organization_role IS NOT NULL);
CREATE INDEX resource_relations_of_subject ON public.resource_relations USING btree (workspace_id, project_id, environment, subject, resource_type, relation, resource_id);

create table resource_type_permissions (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  resource_type text not null,
  relation text not null,
  permission text not null,
  constraint resource_type_permissions_pkey PRIMARY KEY (workspace_id, project_id, environment, resource_type, relation, permission),
  constraint resource_type_permissions_workspace_id_project_id_environ_fkey1 FOREIGN KEY (workspace_id, project_id, environment, permission) REFERENCES permissions(workspace_id, project_id, environment, key),
  constraint resource_type_permissions_workspace_id_project_id_environm_fkey FOREIGN KEY (workspace_id, project_id, environment, resource_type) REFERENCES resource_types(workspace_id, project_id, environment, key) ON DELETE CASCADE
);
CREATE INDEX resource_types_of_permission ON public.resource_type_permissions USING btree (workspace_id, project_id, environment, permission);

create table resource_types (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  key text not null,
  name text not null,
  description text not null,
  relations text[] not null,
  parents jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint resource_types_pkey PRIMARY KEY (workspace_id, project_id, environment, key)
);

create table revocations (
  workspace_id text not null,
  environment text not null,
  subject text not null,
  revoked_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint revocations_pkey PRIMARY KEY (workspace_id, environment, subject)
);
CREATE INDEX revocations_live ON public.revocations USING btree (expires_at);

create table roles (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  key text not null,
  name text not null,
  description text not null,
  built_in boolean not null,
  permissions text[] not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint roles_pkey PRIMARY KEY (workspace_id, project_id, environment, id),
  constraint roles_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);
CREATE UNIQUE INDEX roles_key ON public.roles USING btree (workspace_id, project_id, environment, key);

create table saml_assertions (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  connection_id text not null,
  assertion_hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint saml_assertions_pkey PRIMARY KEY (workspace_id, project_id, environment, connection_id, assertion_hash)
);
CREATE INDEX saml_assertions_expired ON public.saml_assertions USING btree (expires_at);

create table saml_keys (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  certificate text not null,
  private_sealed text not null,
  signs boolean not null,
  created_at timestamp with time zone not null,
  constraint saml_keys_pkey PRIMARY KEY (workspace_id, project_id, environment, id),
  constraint saml_keys_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX saml_keys_signing ON public.saml_keys USING btree (workspace_id, project_id, environment) WHERE signs;

create table saml_last_responses (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  connection_id text not null,
  sealed text not null,
  expires_at timestamp with time zone not null,
  constraint saml_last_responses_pkey PRIMARY KEY (workspace_id, project_id, environment, connection_id)
);
CREATE INDEX saml_last_responses_expired ON public.saml_last_responses USING btree (expires_at);

create table saml_logins (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  connection_id text not null,
  subject_hash bytea not null,
  session_index text,
  sealed text not null,
  session_id text,
  expires_at timestamp with time zone not null,
  constraint saml_logins_pkey PRIMARY KEY (workspace_id, project_id, environment, id)
);
CREATE INDEX saml_logins_expired ON public.saml_logins USING btree (expires_at);
CREATE INDEX saml_logins_of_session ON public.saml_logins USING btree (workspace_id, environment, session_id);
CREATE INDEX saml_logins_of_subject ON public.saml_logins USING btree (workspace_id, project_id, environment, connection_id, subject_hash);

create table saml_logouts (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  state_hash bytea not null,
  connection_id text not null,
  sealed text not null,
  expires_at timestamp with time zone not null,
  constraint saml_logouts_pkey PRIMARY KEY (workspace_id, environment, state_hash)
);
CREATE INDEX saml_logouts_expired ON public.saml_logouts USING btree (expires_at);

create table saml_participants (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  application_id text not null,
  session_id text not null,
  subject_hash bytea not null,
  session_index text not null,
  sealed text not null,
  expires_at timestamp with time zone not null,
  constraint saml_participants_pkey PRIMARY KEY (workspace_id, project_id, environment, application_id, session_id)
);
CREATE INDEX saml_participants_expired ON public.saml_participants USING btree (expires_at);
CREATE INDEX saml_participants_of_session ON public.saml_participants USING btree (workspace_id, environment, session_id);
CREATE INDEX saml_participants_of_subject ON public.saml_participants USING btree (workspace_id, project_id, environment, application_id, subject_hash);

create table saml_rounds (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  state_hash bytea not null,
  sealed text not null,
  waiting_for text,
  waiting_since timestamp with time zone,
  expires_at timestamp with time zone not null,
  constraint saml_rounds_pkey PRIMARY KEY (workspace_id, environment, state_hash)
);
CREATE INDEX saml_rounds_expired ON public.saml_rounds USING btree (expires_at);
CREATE INDEX saml_rounds_waiting ON public.saml_rounds USING btree (workspace_id, environment, waiting_for) WHERE (waiting_for IS NOT NULL);

create table saml_used_requests (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  application_id text not null,
  request_hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint saml_used_requests_pkey PRIMARY KEY (workspace_id, project_id, environment, application_id, request_hash)
);
CREATE INDEX saml_used_requests_expired ON public.saml_used_requests USING btree (expires_at);

create table schema_migrations (
  id integer not null,
  name text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (id)
);

create table scim_group_members (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  group_id text not null,
  scim_user_id text not null,
  constraint scim_group_members_pkey PRIMARY KEY (workspace_id, project_id, environment, organization_id, group_id, scim_user_id),
  constraint scim_group_members_workspace_id_project_id_environment_or_fkey1 FOREIGN KEY (workspace_id, project_id, environment, organization_id, scim_user_id) REFERENCES scim_users(workspace_id, project_id, environment, organization_id, id) ON DELETE CASCADE,
  constraint scim_group_members_workspace_id_project_id_environment_org_fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id, group_id) REFERENCES scim_groups(workspace_id, project_id, environment, organization_id, id) ON DELETE CASCADE
);
CREATE INDEX scim_groups_of_user ON public.scim_group_members USING btree (workspace_id, project_id, environment, organization_id, scim_user_id);

create table scim_groups (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  id text not null,
  name text not null,
  external_id text,
  roles text[] not null,
  attributes jsonb not null,
  version integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint scim_groups_pkey PRIMARY KEY (workspace_id, project_id, environment, organization_id, id),
  constraint scim_groups_name UNIQUE (workspace_id, project_id, environment, organization_id, name),
  constraint scim_groups_workspace_id_project_id_environment_organizati_fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id) REFERENCES organizations(workspace_id, project_id, environment, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX scim_groups_id ON public.scim_groups USING btree (workspace_id, project_id, environment, id);

create table scim_log (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  id text not null,
  token_id text not null,
  action text not null,
  resource_type text not null,
  resource_id text,
  user_id text,
  name text,
  outcome text not null,
  detail text,
  changes jsonb not null,
  created_at timestamp with time zone not null,
  constraint scim_log_pkey PRIMARY KEY (workspace_id, project_id, environment, organization_id, id),
  constraint scim_log_outcome_check CHECK ((outcome = ANY (ARRAY['applied'::text, 'refused'::text]))),
  constraint scim_log_resource_type_check CHECK ((resource_type = ANY (ARRAY['User'::text, 'Group'::text]))),
  constraint scim_log_workspace_id_project_id_environment_organization__fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id) REFERENCES organizations(workspace_id, project_id, environment, id) ON DELETE CASCADE
);
CREATE INDEX scim_log_age ON public.scim_log USING btree (created_at);
CREATE INDEX scim_log_of_user ON public.scim_log USING btree (workspace_id, environment, user_id) WHERE (user_id IS NOT NULL);
CREATE INDEX scim_log_refused_names ON public.scim_log USING btree (workspace_id, environment, lower(name)) WHERE (user_id IS NULL);

create table scim_tokens (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  id text not null,
  hash bytea not null,
  name text not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint scim_tokens_pkey PRIMARY KEY (workspace_id, project_id, environment, organization_id, id),
  constraint scim_tokens_hash UNIQUE (workspace_id, hash),
  constraint scim_tokens_workspace_id_project_id_environment_organizati_fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id) REFERENCES organizations(workspace_id, project_id, environment, id) ON DELETE CASCADE
);

create table scim_users (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  id text not null,
  member_id text not null,
  user_id text not null,
  user_name text not null,
  external_id text,
  active boolean not null,
  manages_account boolean not null,
  group_roles text[] not null,
  attributes jsonb not null,
  version integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint scim_users_pkey PRIMARY KEY (workspace_id, project_id, environment, organization_id, id),
  constraint scim_users_member UNIQUE (workspace_id, project_id, environment, organization_id, member_id),
  constraint scim_users_name UNIQUE (workspace_id, project_id, environment, organization_id, user_name),
  constraint scim_users_workspace_id_project_id_environment_member_id_fkey FOREIGN KEY (workspace_id, project_id, environment, member_id) REFERENCES members(workspace_id, project_id, environment, id) ON DELETE CASCADE,
  constraint scim_users_workspace_id_project_id_environment_organizatio_fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id) REFERENCES organizations(workspace_id, project_id, environment, id) ON DELETE CASCADE
);
CREATE INDEX scim_users_external ON public.scim_users USING btree (workspace_id, project_id, environment, organization_id, external_id);
CREATE INDEX scim_users_of_member ON public.scim_users USING btree (workspace_id, project_id, environment, member_id);
CREATE INDEX scim_users_of_user ON public.scim_users USING btree (workspace_id, environment, user_id);

create table scope_entries (
  workspace_id text not null,
  environment text not null,
  id text not null,
  session_id text not null,
  project_id text not null,
  user_id text not null,
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  revoke_reason text,
  admitted_under text,
  application_id text,
  grant_id text,
  organization_id text,
  version integer not null default 0,
  constraint scope_entries_pkey PRIMARY KEY (workspace_id, environment, id),
  constraint scope_entries_admitted_under_check CHECK ((admitted_under = ANY (ARRAY['off'::text, 'optional'::text, 'required'::text]))),
  constraint scope_entries_workspace_id_environment_session_id_fkey FOREIGN KEY (workspace_id, environment, session_id) REFERENCES sessions(workspace_id, environment, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX scope_entries_live_in ON public.scope_entries USING btree (workspace_id, environment, session_id, project_id, COALESCE(grant_id, ''::text), COALESCE(organization_id, ''::text)) WHERE (revoked_at IS NULL);
CREATE INDEX scope_entries_of_application ON public.scope_entries USING btree (application_id, workspace_id, environment) WHERE ((application_id IS NOT NULL) AND (revoked_at IS NULL));
CREATE INDEX scope_entries_of_grant ON public.scope_entries USING btree (grant_id, workspace_id, environment) WHERE ((grant_id IS NOT NULL) AND (revoked_at IS NULL));
CREATE INDEX scope_entries_of_organization ON public.scope_entries USING btree (workspace_id, project_id, environment, organization_id, user_id) WHERE ((organization_id IS NOT NULL) AND (revoked_at IS NULL));
CREATE INDEX scope_entries_of_project ON public.scope_entries USING btree (workspace_id, project_id, environment, session_id DESC) WHERE (revoked_at IS NULL);
CREATE INDEX scope_entries_of_session ON public.scope_entries USING btree (session_id, workspace_id, environment);
CREATE INDEX scope_entries_of_user ON public.scope_entries USING btree (workspace_id, environment, user_id) WHERE (revoked_at IS NULL);

create table sessions (
  workspace_id text not null,
  environment text not null,
  id text not null,
  user_id text not null,
  amr text[] not null,
  acr text not null,
  auth_time timestamp with time zone not null,
  ip inet,
  user_agent text,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  revoke_reason text,
  second_factor_at timestamp with time zone,
  remembered_device text,
  sign_in_methods text[] not null default '{}'::text[],
  country text,
  constraint sessions_pkey PRIMARY KEY (workspace_id, environment, id),
  constraint sessions_workspace_id_environment_user_id_fkey FOREIGN KEY (workspace_id, environment, user_id) REFERENCES users(workspace_id, environment, id) ON DELETE CASCADE
);
CREATE INDEX sessions_expired ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_of_browser ON public.sessions USING btree (workspace_id, environment, user_id, user_agent, id);
CREATE INDEX sessions_of_source ON public.sessions USING btree (workspace_id, environment, user_id, ip, id);
CREATE INDEX sessions_of_user ON public.sessions USING btree (workspace_id, environment, user_id, id DESC);

create table setup_links (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  id text not null,
  token_hash bytea not null,
  tasks text[] not null,
  roles text[] not null,
  email text,
  locale text,
  return_url text,
  frame_origin text,
  maker jsonb not null,
  next_connection_id text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  opened_at timestamp with time zone,
  completed_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint setup_links_pkey PRIMARY KEY (workspace_id, project_id, environment, organization_id, id),
  constraint setup_links_workspace_id_project_id_environment_organizati_fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id) REFERENCES organizations(workspace_id, project_id, environment, id) ON DELETE CASCADE
);
CREATE INDEX setup_links_email ON public.setup_links USING btree (workspace_id, environment, email) WHERE (email IS NOT NULL);
CREATE UNIQUE INDEX setup_links_token ON public.setup_links USING btree (workspace_id, environment, token_hash);

create table setup_visits (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  organization_id text not null,
  setup_link_id text not null,
  token_hash bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint setup_visits_pkey PRIMARY KEY (workspace_id, project_id, environment, organization_id, setup_link_id, token_hash),
  constraint setup_visits_workspace_id_project_id_environment_organizat_fkey FOREIGN KEY (workspace_id, project_id, environment, organization_id, setup_link_id) REFERENCES setup_links(workspace_id, project_id, environment, organization_id, id) ON DELETE CASCADE
);
CREATE INDEX setup_visits_expired ON public.setup_visits USING btree (expires_at);
CREATE UNIQUE INDEX setup_visits_token ON public.setup_visits USING btree (workspace_id, environment, token_hash);

create table signing_keys (
  environment text not null,
  id text not null,
  algorithm text not null,
  public_jwk jsonb not null,
  private_sealed text not null,
  created_at timestamp with time zone not null,
  signs_from timestamp with time zone not null,
  retires_at timestamp with time zone,
  constraint signing_keys_pkey PRIMARY KEY (environment, id),
  constraint signing_keys_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'production'::text])))
);

create table sms_blocks (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  prefix text not null,
  reason text not null,
  sent integer not null,
  used integer not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint sms_blocks_pkey PRIMARY KEY (workspace_id, project_id, environment, prefix)
);

create table sms_conversions (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  prefix text not null,
  hour timestamp with time zone not null,
  sent integer not null default 0,
  used integer not null default 0,
  constraint sms_conversions_pkey PRIMARY KEY (workspace_id, project_id, environment, prefix, hour)
);
CREATE INDEX sms_conversions_old ON public.sms_conversions USING btree (hour);

create table sms_guards (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  rules jsonb not null,
  updated_at timestamp with time zone not null,
  constraint sms_guards_pkey PRIMARY KEY (workspace_id, project_id, environment),
  constraint sms_guards_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);

create table sms_ledger (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  period_id text not null,
  kind text not null,
  reference text not null,
  part integer not null,
  amount bigint not null,
  currency text not null,
  country text,
  created_at timestamp with time zone not null,
  constraint sms_ledger_pkey PRIMARY KEY (workspace_id, project_id, environment, id),
  constraint sms_ledger_kind_check CHECK ((kind = ANY (ARRAY['segment'::text, 'fee'::text, 'proration'::text, 'payment'::text])))
);
CREATE INDEX sms_ledger_of_period ON public.sms_ledger USING btree (workspace_id, project_id, environment, period_id, id DESC);
CREATE UNIQUE INDEX sms_ledger_once ON public.sms_ledger USING btree (workspace_id, project_id, environment, kind, reference, part);

create table sms_payment_reports (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  ledger_id text not null,
  customer_ref text not null,
  due_at timestamp with time zone not null,
  attempts integer not null default 0,
  error text,
  constraint sms_payment_reports_pkey PRIMARY KEY (workspace_id, project_id, environment, ledger_id)
);
CREATE INDEX sms_payment_reports_due ON public.sms_payment_reports USING btree (due_at);

create table sms_periods (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  subscription_id text not null,
  starts_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  terms jsonb not null,
  used integer not null default 0,
  reserved integer not null default 0,
  warned integer not null default 0,
  customer_ref text,
  closed_at timestamp with time zone,
  statement_id text,
  constraint sms_periods_pkey PRIMARY KEY (workspace_id, project_id, environment, id),
  constraint sms_periods_reserved_check CHECK ((reserved >= 0))
);
CREATE INDEX sms_periods_unbilled ON public.sms_periods USING btree (closed_at) WHERE ((closed_at IS NOT NULL) AND (statement_id IS NULL));

create table sms_reservations (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  message_id text not null,
  period_id text not null,
  segments integer not null,
  country text,
  created_at timestamp with time zone not null,
  constraint sms_reservations_pkey PRIMARY KEY (workspace_id, project_id, environment, message_id),
  constraint sms_reservations_segments_check CHECK ((segments > 0))
);

create table sms_statements (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  period_id text not null,
  starts_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  tier_id text not null,
  segments integer not null,
  fees bigint not null,
  overage bigint not null,
  total bigint not null,
  currency text not null,
  payment text not null,
  issued_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  paid_at timestamp with time zone,
  constraint sms_statements_pkey PRIMARY KEY (workspace_id, project_id, environment, id),
  constraint sms_statements_payment_check CHECK ((payment = ANY (ARRAY['manual'::text, 'stripe'::text])))
);
CREATE UNIQUE INDEX sms_statements_of_period ON public.sms_statements USING btree (workspace_id, project_id, environment, period_id);
CREATE INDEX sms_statements_unpaid ON public.sms_statements USING btree (due_at) WHERE (paid_at IS NULL);

create table sms_subscriptions (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  status text not null,
  terms jsonb not null,
  next_tier_id text,
  anchor timestamp with time zone not null,
  period_number integer not null,
  period_id text not null,
  period_end timestamp with time zone not null,
  past_due_since timestamp with time zone,
  canceled_at timestamp with time zone,
  payment text not null,
  customer_ref text,
  subscription_ref text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint sms_subscriptions_pkey PRIMARY KEY (workspace_id, project_id, environment),
  constraint sms_subscriptions_status_check CHECK ((status = ANY (ARRAY['active'::text, 'canceling'::text, 'canceled'::text, 'past_due'::text]))),
  constraint sms_subscriptions_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);
CREATE INDEX sms_subscriptions_by_ref ON public.sms_subscriptions USING btree (subscription_ref) WHERE (subscription_ref IS NOT NULL);
CREATE INDEX sms_subscriptions_due ON public.sms_subscriptions USING btree (period_end) WHERE (status <> 'canceled'::text);
CREATE UNIQUE INDEX sms_subscriptions_ref ON public.sms_subscriptions USING btree (subscription_ref) WHERE (subscription_ref IS NOT NULL);
CREATE UNIQUE INDEX sms_subscriptions_ref_of_workspace ON public.sms_subscriptions USING btree (workspace_id, subscription_ref) WHERE (subscription_ref IS NOT NULL);

create table spent_proofs (
  workspace_id text not null,
  environment text not null,
  hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint spent_proofs_pkey PRIMARY KEY (workspace_id, environment, hash),
  constraint spent_proofs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX spent_proofs_expired ON public.spent_proofs USING btree (expires_at);

create table status_boards (
  environment text not null,
  overall text not null default 'operational'::text,
  overall_since timestamp with time zone not null default now(),
  automatic text not null default 'publish'::text,
  alert_emails text[] not null default '{}'::text[],
  measured_at timestamp with time zone,
  name text,
  logo_url text,
  accent_color text,
  support_url text,
  workspace_id text not null default ''::text,
  slug text,
  published boolean not null default true,
  audience text not null default 'public'::text,
  shown_to_members boolean not null default false,
  locales text[] not null default '{}'::text[],
  default_language text not null default 'en'::text,
  text_messages boolean not null default false,
  constraint status_boards_pkey PRIMARY KEY (environment),
  constraint status_boards_audience_check CHECK ((audience = ANY (ARRAY['public'::text, 'members'::text]))),
  constraint status_boards_automatic_check CHECK ((automatic = ANY (ARRAY['off'::text, 'draft'::text, 'publish'::text]))),
  constraint status_boards_members_unpublished CHECK (((audience = 'public'::text) OR (NOT published))),
  constraint status_boards_overall_check CHECK ((overall = ANY (ARRAY['operational'::text, 'degraded'::text])))
);
CREATE UNIQUE INDEX status_boards_slug ON public.status_boards USING btree (slug) WHERE (slug IS NOT NULL);

create table status_codes (
  environment text not null,
  id text not null,
  subscriber_id text,
  code_hash bytea not null,
  attempts_left integer not null,
  expires_at timestamp with time zone not null,
  workspace_id text not null default ''::text,
  constraint status_codes_pkey PRIMARY KEY (environment, id)
);

create table status_components (
  environment text not null,
  id text not null,
  group_id text not null,
  name text,
  description text,
  "position" integer not null,
  shown text not null,
  probe jsonb,
  heartbeat_hash bytea,
  heartbeat_at timestamp with time zone,
  status text not null,
  status_since timestamp with time zone not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  workspace_id text not null default ''::text,
  constraint status_components_pkey PRIMARY KEY (environment, id),
  constraint status_components_environment_group_id_fkey FOREIGN KEY (environment, group_id) REFERENCES status_groups(environment, id),
  constraint status_components_shown_check CHECK ((shown = ANY (ARRAY['always'::text, 'when_degraded'::text, 'never'::text]))),
  constraint status_components_status_check CHECK ((status = ANY (ARRAY['operational'::text, 'degraded_performance'::text, 'partial_outage'::text, 'major_outage'::text])))
);
CREATE UNIQUE INDEX status_components_heartbeat ON public.status_components USING btree (heartbeat_hash) WHERE (heartbeat_hash IS NOT NULL);

create table status_days (
  environment text not null,
  component_id text not null,
  day date not null,
  operational integer not null,
  degraded integer not null,
  partial integer not null,
  major integer not null,
  maintenance integer not null,
  workspace_id text not null default ''::text,
  constraint status_days_pkey PRIMARY KEY (environment, component_id, day)
);

create table status_groups (
  environment text not null,
  id text not null,
  name text,
  "position" integer not null,
  workspace_id text not null default ''::text,
  constraint status_groups_pkey PRIMARY KEY (environment, id),
  constraint status_groups_environment_fkey FOREIGN KEY (environment) REFERENCES status_boards(environment)
);

create table status_incidents (
  environment text not null,
  id text not null,
  title text not null,
  phase text not null,
  severity text not null,
  component_ids text[] not null,
  component_statuses jsonb not null,
  automatic boolean not null,
  published_at timestamp with time zone,
  started_at timestamp with time zone not null,
  phase_since timestamp with time zone not null,
  resolved_at timestamp with time zone,
  postmortem text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  workspace_id text not null default ''::text,
  constraint status_incidents_pkey PRIMARY KEY (environment, id),
  constraint status_incidents_environment_fkey FOREIGN KEY (environment) REFERENCES status_boards(environment),
  constraint status_incidents_phase_check CHECK ((phase = ANY (ARRAY['investigating'::text, 'identified'::text, 'monitoring'::text, 'resolved'::text]))),
  constraint status_incidents_severity_check CHECK ((severity = ANY (ARRAY['minor'::text, 'major'::text, 'critical'::text])))
);
CREATE UNIQUE INDEX status_incidents_automatic ON public.status_incidents USING btree (environment) WHERE (automatic AND (phase <> 'resolved'::text));
CREATE INDEX status_incidents_open ON public.status_incidents USING btree (environment) WHERE (phase <> 'resolved'::text);

create table status_maintenances (
  environment text not null,
  id text not null,
  title text not null,
  phase text not null,
  component_ids text[] not null,
  begins_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  remind_at timestamp with time zone,
  began_at timestamp with time zone,
  completed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  workspace_id text not null default ''::text,
  constraint status_maintenances_pkey PRIMARY KEY (environment, id),
  constraint status_maintenances_environment_fkey FOREIGN KEY (environment) REFERENCES status_boards(environment),
  constraint status_maintenances_phase_check CHECK ((phase = ANY (ARRAY['scheduled'::text, 'in_progress'::text, 'verifying'::text, 'completed'::text])))
);

create table status_minutes (
  environment text not null,
  component_id text not null,
  minute timestamp with time zone not null,
  status text not null,
  constraint status_minutes_pkey PRIMARY KEY (environment, component_id, minute)
);
CREATE INDEX status_minutes_old ON public.status_minutes USING btree (minute);

create table status_notices (
  environment text not null,
  id text not null,
  subject_id text not null,
  content jsonb not null,
  component_ids text[] not null,
  cursor text not null,
  created_at timestamp with time zone not null,
  done_at timestamp with time zone,
  workspace_id text not null default ''::text,
  constraint status_notices_pkey PRIMARY KEY (environment, id),
  constraint status_notices_environment_fkey FOREIGN KEY (environment) REFERENCES status_boards(environment)
);

create table status_signals (
  environment text not null,
  signal text not null,
  minute timestamp with time zone not null,
  good bigint not null,
  bad bigint not null,
  constraint status_signals_pkey PRIMARY KEY (environment, signal, minute)
);

create table status_subscribers (
  environment text not null,
  id text not null,
  channel text not null,
  address text not null,
  address_digest bytea not null,
  state text not null,
  component_ids text[] not null,
  locale text,
  source text not null,
  consent text not null,
  secret_sealed text,
  confirmed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  workspace_id text not null default ''::text,
  user_id text,
  link_hash bytea,
  unreached integer not null default 0,
  unreached_since timestamp with time zone,
  suspended_reason text,
  suspended_at timestamp with time zone,
  constraint status_subscribers_pkey PRIMARY KEY (environment, id),
  constraint status_subscribers_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'webhook'::text, 'slack'::text, 'teams'::text, 'discord'::text]))),
  constraint status_subscribers_environment_fkey FOREIGN KEY (environment) REFERENCES status_boards(environment),
  constraint status_subscribers_source_check CHECK ((source = ANY (ARRAY['self'::text, 'import'::text]))),
  constraint status_subscribers_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'active'::text, 'quarantined'::text, 'unsubscribed'::text])))
);
CREATE INDEX status_subscribers_active ON public.status_subscribers USING btree (environment, id) WHERE (state = 'active'::text);
CREATE UNIQUE INDEX status_subscribers_address ON public.status_subscribers USING btree (environment, channel, address_digest);
CREATE UNIQUE INDEX status_subscribers_link ON public.status_subscribers USING btree (link_hash) WHERE (link_hash IS NOT NULL);
CREATE INDEX status_subscribers_of_member ON public.status_subscribers USING btree (user_id, workspace_id) WHERE (user_id IS NOT NULL);
CREATE INDEX status_subscribers_pending ON public.status_subscribers USING btree (updated_at) WHERE (state = 'pending'::text);

create table status_templates (
  environment text not null,
  id text not null,
  kind text not null,
  name text not null,
  title text not null,
  body text not null,
  severity text,
  component_ids text[] not null,
  duration_minutes integer,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  workspace_id text not null default ''::text,
  constraint status_templates_pkey PRIMARY KEY (environment, id),
  constraint status_templates_kind_check CHECK ((kind = ANY (ARRAY['incident'::text, 'maintenance'::text]))),
  constraint status_templates_severity_check CHECK ((severity = ANY (ARRAY['minor'::text, 'major'::text, 'critical'::text])))
);

create table status_updates (
  environment text not null,
  subject_id text not null,
  id text not null,
  phase text not null,
  body text not null,
  at timestamp with time zone not null,
  affected jsonb,
  workspace_id text not null default ''::text,
  constraint status_updates_pkey PRIMARY KEY (environment, subject_id, id)
);

create table team_invitations (
  workspace_id text not null,
  id text not null,
  email text not null,
  role text not null,
  token_hash bytea not null,
  invited_by text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint team_invitations_pkey PRIMARY KEY (workspace_id, id),
  constraint team_invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'billing'::text, 'support'::text, 'senior_support'::text, 'analyst'::text, 'viewer'::text]))),
  constraint team_invitations_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE UNIQUE INDEX team_invitations_open ON public.team_invitations USING btree (workspace_id, email) WHERE ((accepted_at IS NULL) AND (revoked_at IS NULL));
CREATE UNIQUE INDEX team_invitations_token ON public.team_invitations USING btree (workspace_id, token_hash);

create table team_members (
  workspace_id text not null,
  id text not null,
  user_id text not null,
  role text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint team_members_pkey PRIMARY KEY (workspace_id, id),
  constraint team_members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'billing'::text, 'support'::text, 'senior_support'::text, 'analyst'::text, 'viewer'::text]))),
  constraint team_members_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE UNIQUE INDEX team_members_of_user ON public.team_members USING btree (user_id, workspace_id);
CREATE UNIQUE INDEX team_members_user ON public.team_members USING btree (workspace_id, user_id);

create table throttled_places (
  workspace_id text not null,
  environment text not null,
  user_id text not null,
  key text not null,
  way text not null,
  source text not null,
  expires_at timestamp with time zone not null,
  constraint throttled_places_pkey PRIMARY KEY (workspace_id, environment, user_id, key)
);
CREATE INDEX throttled_places_expired ON public.throttled_places USING btree (expires_at);

create table upstream_flows (
  workspace_id text not null,
  environment text not null,
  state_hash bytea not null,
  project_id text not null,
  provider_id text not null,
  browser_hash bytea not null,
  sealed text not null,
  expires_at timestamp with time zone not null,
  user_id text,
  response_sealed text,
  constraint upstream_flows_pkey PRIMARY KEY (workspace_id, environment, state_hash),
  constraint upstream_flows_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX upstream_flows_expired ON public.upstream_flows USING btree (expires_at);
CREATE INDEX upstream_flows_of_user ON public.upstream_flows USING btree (user_id, workspace_id, environment) WHERE (user_id IS NOT NULL);

create table users (
  workspace_id text not null,
  environment text not null,
  id text not null,
  display_name text,
  given_name text,
  family_name text,
  picture text,
  locale text,
  zoneinfo text,
  birthdate text,
  custom_data jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  search text collate "C" not null default ''::text,
  erase_at timestamp with time zone,
  home_project_id text,
  middle_name text,
  nickname text,
  gender text,
  profile text,
  website text,
  erase_without_project boolean not null default false,
  home_organization_id text,
  constraint users_pkey PRIMARY KEY (workspace_id, environment, id),
  constraint users_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'production'::text]))),
  constraint users_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX users_texts ON public.users USING gin (search gin_trgm_ops, (((workspace_id || ' '::text) || environment))) WITH (gin_pending_list_limit='2048');

create table webhook_attempts (
  workspace_id text not null,
  delivery_id text not null,
  number integer not null,
  trigger text not null,
  started_at timestamp with time zone not null,
  duration_ms integer not null,
  status_code integer,
  error text,
  response_snippet text,
  constraint webhook_attempts_pkey PRIMARY KEY (workspace_id, delivery_id, number)
);

create table webhook_deliveries (
  workspace_id text not null,
  id text not null,
  project_id text not null,
  environment text not null,
  endpoint_id text not null,
  event_id text not null,
  event_type text not null,
  body text,
  status text not null,
  attempt_count integer not null default 0,
  trigger text not null,
  next_attempt_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint webhook_deliveries_pkey PRIMARY KEY (workspace_id, id),
  constraint webhook_deliveries_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'production'::text]))),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'retrying'::text, 'failed'::text, 'blocked'::text]))),
  constraint webhook_deliveries_trigger_check CHECK ((trigger = ANY (ARRAY['event'::text, 'schedule'::text, 'retry'::text, 'replay'::text, 'recovery'::text, 'test'::text])))
);
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (workspace_id, endpoint_id, next_attempt_at, id) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX webhook_deliveries_of_endpoint ON public.webhook_deliveries USING btree (workspace_id, endpoint_id, id);
CREATE INDEX webhook_deliveries_of_event ON public.webhook_deliveries USING btree (workspace_id, event_id);
CREATE INDEX webhook_deliveries_of_scope ON public.webhook_deliveries USING btree (workspace_id, project_id, environment, id);
CREATE INDEX webhook_deliveries_troubled ON public.webhook_deliveries USING btree (workspace_id, project_id, environment, id) WHERE (status = ANY (ARRAY['retrying'::text, 'failed'::text, 'blocked'::text]));

create table webhook_endpoints (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  purpose text not null default 'events'::text,
  key text,
  url text not null,
  description text not null,
  events text[] not null,
  headers_sealed text,
  secrets jsonb not null,
  enabled boolean not null,
  disabled_reason text,
  failing_since timestamp with time zone,
  paused_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  succeeded_at timestamp with time zone,
  organization_id text,
  constraint webhook_endpoints_pkey PRIMARY KEY (workspace_id, id),
  constraint webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['request'::text, 'gone'::text, 'failing'::text]))),
  constraint webhook_endpoints_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'production'::text])))
);
CREATE UNIQUE INDEX webhook_endpoints_key ON public.webhook_endpoints USING btree (workspace_id, project_id, environment, purpose, key) WHERE (key IS NOT NULL);
CREATE INDEX webhook_endpoints_of_scope ON public.webhook_endpoints USING btree (workspace_id, project_id, environment, id) WHERE (deleted_at IS NULL);

create table worker_heartbeats (
  worker text not null,
  seen_at timestamp with time zone not null,
  constraint worker_heartbeats_pkey PRIMARY KEY (worker)
);

create table workspace_tag_keys (
  workspace_id text not null,
  keys_sealed text not null,
  constraint workspace_tag_keys_pkey PRIMARY KEY (workspace_id)
);

create table workspaces (
  id text not null,
  routing_key text not null,
  name text not null,
  created_at timestamp with time zone not null,
  delete_at timestamp with time zone,
  removal_began_at timestamp with time zone,
  constraint workspaces_pkey PRIMARY KEY (id),
  constraint workspaces_routing_key_key UNIQUE (routing_key)
);
