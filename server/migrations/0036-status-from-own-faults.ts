/** When an endpoint first accepted a delivery. Open automatic incidents give components only their measured status. */
export const up = `
alter table webhook_endpoints add column succeeded_at timestamptz;
update webhook_endpoints e set succeeded_at = e.updated_at
where purpose = 'events' and exists (
  select 1 from webhook_deliveries d
  where d.workspace_id = e.workspace_id and d.endpoint_id = e.id and d.status = 'delivered');

update status_incidents i set component_statuses = component_statuses || (
  select coalesce(jsonb_object_agg(id, 'operational'), '{}') from unnest(component_ids) as id where not i.component_statuses ? id)
where automatic and phase <> 'resolved';
`;
