/** A webhook endpoint may get the events of one organization alone. */
export const up = 'alter table webhook_endpoints add column organization_id text';
