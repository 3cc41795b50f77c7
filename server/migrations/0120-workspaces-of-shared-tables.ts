/** The workspace of records, idempotency keys and counted limits, so that each table can be divided by workspace. */
export const up = `
-- Empty for a record whose id names no workspace: that of an earlier version, or from before a client was known.
alter table oidc_records add column workspace_id text not null default '';
-- Empty for a request that names no workspace.
alter table idempotency_keys add column workspace_id text not null default '';
alter table rate_limits add column workspace_id text not null default '';
`;
