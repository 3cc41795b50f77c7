/**
 * Where the rows of each table are when an installation is divided over several servers (docs/scale.md). One server has
 * them all until then. A test compares this list with the schema, so a migration that adds a table adds a line here.
 */
type Layout = { kind: 'distributed' } | { kind: 'reference' | 'local'; because: string };

/** By their column `workspace_id`: all rows of a workspace are on one server. */
const DISTRIBUTED = [
  'action_calls',
  'actions',
  'active_people',
  'apis',
  'application_secrets',
  'applications',
  'audit_checkpoints',
  'audit_entries',
  'audit_heads',
  'audit_resources',
  'begun_registrations',
  'branding_images',
  'connection_test_sign_ins',
  'consents',
  'console_sessions',
  'daily_figures',
  'default_organizations',
  'event_sequences',
  'events',
  'exchange_codes',
  'figures_by_key',
  'flows',
  'idempotency_keys',
  'identifiers',
  'identity_providers',
  'invitations',
  'linked_identities',
  'log_stream_faults',
  'log_streams',
  'member_import_chunks',
  'member_import_dry_runs',
  'member_imports',
  'member_roles',
  'members',
  'message_templates',
  'messages',
  'mfa_challenges',
  'mfa_factors',
  'oidc_records',
  'organization_brandings',
  'organization_connections',
  'organization_departures',
  'organization_domains',
  'organization_members',
  'organization_role_permissions',
  'organization_roles',
  'organizations',
  'passkey_challenges',
  'passkeys',
  'passwords',
  'permissions',
  'project_environments',
  'projects',
  'rate_limits',
  'recovery_codes',
  'refresh_tokens',
  'registration_tokens',
  'remembered_devices',
  'resource_relations',
  'resource_type_permissions',
  'resource_types',
  'revocations',
  'roles',
  'saml_assertions',
  'saml_keys',
  'saml_last_responses',
  'saml_logins',
  'saml_logouts',
  'saml_participants',
  'saml_rounds',
  'saml_used_requests',
  'scim_group_members',
  'scim_groups',
  'scim_log',
  'scim_tokens',
  'scim_users',
  'scope_entries',
  'sessions',
  'setup_links',
  'setup_visits',
  'sms_blocks',
  'sms_conversions',
  'sms_guards',
  'sms_ledger',
  'sms_payment_reports',
  'sms_periods',
  'sms_reservations',
  'sms_statements',
  'sms_subscriptions',
  'spent_proofs',
  'team_invitations',
  'throttled_places',
  'upstream_flows',
  'users',
  'webhook_attempts',
  'webhook_deliveries',
  'webhook_endpoints',
  'workspace_tag_keys',
] as const;

/** A copy on every server. Small tables that change rarely: a change is made on all servers in one transaction. */
const REFERENCE = {
  workspaces:
    'Every request looks its workspace up by routing key; rows are written when a workspace is created, renamed or closed.',
  domains: 'A host name is unique among all workspaces, and finds its workspace.',
  domain_bindings: 'A host name finds what it serves.',
  domain_certificates: 'A host name finds its certificate.',
  team_members: 'The workspaces of an operator are looked up by the operator.',
  default_projects: 'Two rows that statements on tables of workspaces read.',
  console_installation: 'One row.',
} as const;

const PAGES =
  'One process measures all pages, and visitors come with an address or a token, without a workspace (docs/decisions/0290).';

/** On the coordinator. Of the requests of customers, only those about subscriptions to a status page write to them. */
const LOCAL = {
  acme_accounts: 'Certificates are ordered by the worker, one for each custom domain in two months.',
  acme_challenges: 'Certificates are ordered by the worker, one for each custom domain in two months.',
  applied_migrations: 'Records of migrations.',
  audit_keys: 'A few keys, which each process keeps in memory.',
  backfills: 'Records of migrations.',
  backups: 'Records of backups.',
  data_keys: 'A few keys, which each process keeps in memory.',
  payment_notices: 'Notices of the payment provider arrive at one address for the installation.',
  schema_migrations: 'Records of migrations.',
  signing_keys: 'A few keys, which each process keeps in memory.',
  status_boards: PAGES,
  status_codes: PAGES,
  status_components: PAGES,
  status_days: PAGES,
  status_groups: PAGES,
  status_incidents: PAGES,
  status_maintenances: PAGES,
  status_minutes: 'The status is that of the installation, and one process measures it.',
  status_notices: PAGES,
  status_signals: 'The status is that of the installation, and one process measures it.',
  status_subscribers: PAGES,
  status_templates: PAGES,
  status_updates: PAGES,
  worker_heartbeats: 'One row for each worker.',
} as const;

/** The layout of each table. */
export const LAYOUT: ReadonlyMap<string, Layout> = new Map<string, Layout>([
  ...DISTRIBUTED.map((table) => [table, { kind: 'distributed' }] as const),
  ...Object.entries(REFERENCE).map(([table, because]) => [table, { kind: 'reference', because }] as const),
  ...Object.entries(LOCAL).map(([table, because]) => [table, { kind: 'local', because }] as const),
]);

/**
 * What a divided installation cannot have: statements that run when it is divided, or when a new database on Citus is
 * migrated. Of the indexes and keys, earlier versions need some; the others are made again on tables of which every
 * server has a copy.
 */
export const UNDIVIDED = [
  // Version 0.1.0 names the columns of these in "on conflict", or looks up by them alone.
  'drop index if exists oidc_records_once',
  'drop index if exists oidc_records_uid',
  'drop index if exists idempotency_keys_once',
  'drop index if exists rate_limits_once',
  'drop index if exists team_members_of_user',
  'drop index if exists sms_subscriptions_ref',
  'alter table applications drop constraint if exists applications_client_id_key',
  // They refer to a table of workspaces from one that is on every server.
  'alter table default_projects drop constraint if exists default_projects_workspace_id_project_id_fkey',
  'alter table console_installation drop constraint if exists console_installation_workspace_id_fkey',
  // Citus has no triggers on divided tables. Latchkey itself only adds to the ledger.
  'drop trigger if exists sms_ledger_append_only on sms_ledger',
  'drop trigger if exists sms_ledger_keep on sms_ledger',
  // Unique among all workspaces: see REUNITED.
  'alter table workspaces drop constraint if exists workspaces_routing_key_key',
  'drop index if exists domains_verified',
];

/** What is made again when every server has a copy of the tables. */
export const REUNITED = [
  'create unique index if not exists workspaces_routing_key_key on workspaces (routing_key)',
  "create unique index if not exists domains_verified on domains (host) where status = 'verified'",
];

/**
 * Functions that only a divided installation has. Citus runs the steps of one statement one after the other, over all
 * servers; such a function runs them on the server that has the workspace, its first argument. Each does what one statement
 * does on one server (`platform/division.ts` says which runs). A function never changes: processes of two versions may run
 * at once, so another one gets another name.
 */
export const FUNCTIONS_OF_DIVIDED = [
  {
    signature: 'count_in_order(text, bigint, text[], integer[], integer[])',
    beside: 'rate_limits',
    text: `
create function count_in_order(workspace text, at_ms bigint, keys text[], seconds integer[], most integer[])
returns table (place integer, points integer, expire bigint) language plpgsql as $$
declare counted record;
begin
  perform set_config('synchronous_commit', 'off', true);
  for step in 1 .. cardinality(keys) loop
    insert into rate_limits as r (workspace_id, key, points, expire)
    values (workspace, keys[step], 1, at_ms + seconds[step] * 1000::bigint)
    on conflict (workspace_id, key) do update set
      points = case when r.expire <= at_ms then 1 else r.points + 1 end,
      expire = case when r.expire <= at_ms then excluded.expire else r.expire end
    returning r.points, r.expire into counted;
    place := step - 1;
    points := counted.points;
    expire := counted.expire;
    return next;
    exit when counted.points > most[step];
  end loop;
end $$`,
  },
  {
    signature: 'settle_counts(text, text[], text[])',
    beside: 'rate_limits',
    text: `
create function settle_counts(workspace text, forgotten text[], given_back text[])
returns void language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  update rate_limits set points = points - 1 where workspace_id = workspace and key = any(given_back);
  for step in 1 .. cardinality(forgotten) loop
    delete from rate_limits where workspace_id = workspace and key = forgotten[step];
  end loop;
end $$`,
  },
  {
    signature: 'replace_refresh_token(text, text, bytea, timestamptz, text, timestamptz, bytea, timestamptz)',
    beside: 'refresh_tokens',
    text: `
create function replace_refresh_token(workspace text, realm text, spent_hash bytea, spent_at timestamptz, sealed text,
  seen_before timestamptz, new_hash bytea, new_end timestamptz)
returns setof text language plpgsql as $$
declare spent record;
begin
  update refresh_tokens set used_at = spent_at, successor = sealed
  where workspace_id = workspace and environment = realm and hash = spent_hash and used_at is null
  returning entry_id, session_id into spent;
  if not found then return; end if;
  update sessions set last_seen_at = spent_at
  where workspace_id = workspace and environment = realm and id = spent.session_id and last_seen_at < seen_before;
  insert into refresh_tokens (workspace_id, environment, hash, entry_id, session_id, created_at, expires_at)
  values (workspace, realm, new_hash, spent.entry_id, spent.session_id, spent_at, new_end);
  return next spent.entry_id;
end $$`,
  },
] as const;

/** A version has to know this schema to run on a divided installation. */
export const DIVIDED_SINCE = 122;
