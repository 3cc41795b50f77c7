type Declared = { statement: RegExp; because: string };

const BY_LEADER = 'One process runs it for the whole installation; its cost is in docs/scale.md.';
const CLEAN_UP = 'The clean-up of expired rows, every ten minutes in a worker; each server looks at its own index.';
const AT_START = 'A process reads it when it starts, and when its change feed was interrupted.';
const CACHED = 'Each process keeps the result in memory until it changes.';
const BY_OPERATOR = 'An operator asks for it, a few times a day.';

/**
 * The statements of Latchkey that ask more than one server of a Citus cluster, by their beginning, and why each may. Spaces
 * are single. A statement of a customer's request stands here only where nothing names the workspace.
 */
export const DECLARED: readonly Declared[] = [
  { statement: /^with batch as \( select workspace_id, id, project_id/, because: `Numbers events. ${BY_LEADER}` },
  {
    statement: /^select h\.workspace_id as "workspaceId".* from unnest\(.* join audit_heads h/,
    because: `Extends audit logs. ${BY_LEADER}`,
  },
  { statement: /^(insert into|with) .*audit_/, because: `Extends audit logs. ${BY_LEADER}` },
  {
    statement: /^insert into (daily_figures|active_people)|^with first_seen as/,
    because: `Counts figures. ${BY_LEADER}`,
  },
  {
    statement:
      /^select e\.workspace_id as "workspaceId".*e\.events, e\.organization_id as "organizationId" from \(select distinct/,
    because: `Finds the endpoints of numbered events. ${BY_LEADER}`,
  },
  { statement: /^insert into webhook_deliveries/, because: `Queues deliveries of numbered events. ${BY_LEADER}` },
  {
    statement: /^select extract\(epoch from now\(\) - occurred_at\).* from events where sequence is null/,
    because: 'A metric, when it is read.',
  },
  {
    statement: /^select h\.workspace_id as "workspaceId".* from audit_heads h left join lateral/,
    because: `Finds logs without a recent checkpoint. ${BY_LEADER}`,
  },
  {
    statement: /^select .* from log_streams \/\* all workspaces \*\//,
    because: `Finds streams to continue. ${BY_LEADER}`,
  },
  {
    statement: /from webhook_endpoints e where e\.enabled/,
    because: `Finds endpoints with due deliveries, once a second. ${BY_LEADER}`,
  },
  {
    statement: /^(with abandoned as|delete from webhook_(endpoints|deliveries))/,
    because: `Removes deleted endpoints. ${CLEAN_UP}`,
  },
  {
    statement: /^with votes as .* from webhook_endpoints/,
    because: 'The health of webhooks for the status. One process measures it.',
  },
  { statement: /^\/\* all workspaces \*\/ select distinct workspace_id/, because: AT_START },
  {
    statement: /^select .* from messages \/\* all workspaces \*\/ where channel = 'sms'/,
    because: 'Recovers text messages of dead workers, every 30 seconds.',
  },
  {
    statement: /^select .* from sms_(subscriptions|periods|statements|payment_reports)/,
    because: 'Billing falls due: every 30 seconds in a worker, or for a notice of the payment provider.',
  },
  { statement: /^select max\("\w+"\)::text as last, count\(\*\) as count from/, because: CLEAN_UP },
  { statement: /^delete from "?\w+"? where .*\/\* all workspaces \*\/$/, because: CLEAN_UP },
  { statement: /^\/\* all workspaces \*\/ delete from action_calls/, because: CLEAN_UP },
  {
    statement: /^(with gone as \()?delete from (oidc_records|console_sessions|refresh_tokens) \/\* all workspaces \*\//,
    because: `Ends the sessions of everybody. ${BY_OPERATOR}`,
  },
  {
    statement: /^select exists \( select 1 from applications where .* origins @>/,
    because: `Whether a browser's origin belongs to an application of any workspace. ${CACHED}`,
  },
  { statement: /^delete from "(console_sessions|member_imports|member_import_dry_runs)"/, because: CLEAN_UP },
  { statement: /^select subject, revoked_at from revocations/, because: `Which tokens are revoked. ${AT_START}` },
  { statement: /^select id as key from workspaces where delete_at/, because: `Which projects are closed. ${AT_START}` },
  {
    statement: /^select "pe"\."workspace_id".*select workspace_id, project_id from default_projects/,
    because: `The default project of an environment. ${CACHED}`,
  },
  {
    statement: /^select .* from "oidc_records" .*"user_code" = /,
    because: 'The code that a person types for a device names no workspace.',
  },
  {
    statement: /^select .* from "?oidc_records"? where "?workspace_id"? = any\(/,
    because:
      'Until a process knows that there are no records of version 0.1.0, it also looks among those without a workspace.',
  },
  {
    statement: /^(update|delete from) "?oidc_records"? .*workspace_id = any\(/,
    because:
      'Until a process knows that there are no records of version 0.1.0, it also looks among those without a workspace.',
  },
  {
    statement: /^select workspace_id, issuer, id from oidc_records where session_id = any/,
    because: 'An operator signs out, who may act as people of other workspaces.',
  },
  {
    statement: /^select u\.id from users u where u\.workspace_id \|\| ' ' \|\| u\.environment/,
    because: 'A search by an administrator for a rare text: each server looks in its own index of texts.',
  },
  {
    statement: /^select workspace_id, id from "?organization_domains"?/,
    because: 'Finds proofs of domains to look up again, every 30 seconds in a worker.',
  },
  {
    statement: /organization_connections.*metadataDueAt|saml.*metadata/,
    because: 'Finds metadata of SAML to read again, every 30 seconds in a worker.',
  },
  {
    statement: /^select workspace_id as "workspaceId", environment, .* from (identifiers|passwords) /,
    because: `Finds addresses and hashes to look at (\`latchkey doctor\`). ${BY_OPERATOR}`,
  },
  {
    statement: /^select substring\(|^select count\(\*\) as left from/,
    because: `Sealed values by key. ${BY_OPERATOR}`,
  },
  {
    statement: /^select array\[.*as keys/,
    because: 'Sealing again and backfills, in portions, after an operator or an upgrade began them.',
  },
  { statement: /^update .*\/\* all workspaces \*\/$/, because: 'Backfills, in portions, after an upgrade.' },
  { statement: /^select id, channel, recipient, body_sealed/, because: 'The inbox of development mode.' },
  { statement: /^copy |^declare |^fetch |^select from projects limit 1$/i, because: `Backups. ${BY_OPERATOR}` },
];
