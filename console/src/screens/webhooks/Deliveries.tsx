import { dataOf } from '#api/client.ts';
import { useApi, useCan, useClient } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { sentence } from '#ui/badge.tsx';
import { ChoiceFilter, MomentFilter } from '#ui/filters.tsx';
import { List } from '#ui/list.tsx';
import { Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty } from '#ui/states.tsx';
import { deliveryColumns } from './deliveryColumns.tsx';
import { useEventTypes } from './eventTypes.ts';
import { WebhookTabs } from './WebhookTabs.tsx';

const STATUSES = ['pending', 'delivered', 'retrying', 'failed', 'blocked'] as const;
const NAMES = ['endpointId', 'eventType', 'since', 'until'] as const;

export function Deliveries() {
  const api = useApi();
  const [filters] = useFilters();
  const status = STATUSES.find((known) => known === filters['status']);
  const given = Object.fromEntries(NAMES.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])));
  const wanted = { ...given, ...(status && { status }) };
  const query = { limit: 50, ...wanted, ...(filters['cursor'] && { cursor: filters['cursor'] }) };
  const client = useClient();
  const at = useAt();
  const retry = useCan('webhooks:write');
  const deliveries = api.useQuery(
    'get',
    '/console/v1/delivery-log',
    { params: { query } },
    { placeholderData: (before) => before },
  );
  const endpoints = api.useQuery('get', '/console/v1/webhooks/endpoints', { params: { query: { limit: 100 } } });
  const { types } = useEventTypes();
  const addressOf = (endpointId: string) =>
    endpoints.data?.items.find(({ id }) => id === endpointId)?.url ?? endpointId;
  return (
    <Page title="Webhooks" about="Every delivery with its attempts, responses and next retry.">
      <WebhookTabs />
      <List
        label="Deliveries"
        query={deliveries}
        columns={({ names, members }) => deliveryColumns({ names, members, addressOf })}
        keyOf={({ id }) => id}
        href={({ id }) => at(`/webhooks/deliveries/${id}`)}
        empty={<Empty title="No deliveries">Deliveries appear here once an event matches an endpoint.</Empty>}
        readPage={(page) => client.GET('/console/v1/delivery-log', { params: { query: { ...wanted, ...page } } })}
        bulk={
          retry
            ? [
                {
                  label: 'Retry',
                  question: (rows) => ({ title: `Retry ${rows.length} deliveries now?`, action: 'Retry' }),
                  act: ({ id }) =>
                    dataOf(
                      client.POST('/console/v1/webhooks/deliveries/{deliveryId}/retry', {
                        params: { path: { deliveryId: id } },
                      }),
                    ),
                  done: (count) => `${count} queued for retry`,
                },
              ]
            : []
        }
        filters={
          <>
            <ChoiceFilter
              name="status"
              label="Status"
              width={130}
              choices={STATUSES.map((value) => ({ value, label: sentence(value) }))}
            />
            <ChoiceFilter name="eventType" label="Event" width={200} choices={types.map(({ type }) => type)} />
            <ChoiceFilter
              name="endpointId"
              label="Endpoint"
              width={220}
              choices={endpoints.data?.items.map(({ id, url }) => ({ value: id, label: url })) ?? []}
            />
            <MomentFilter name="since" label="From" />
            <MomentFilter name="until" label="Until" />
          </>
        }
      />
    </Page>
  );
}
