import { useApi } from '#api/scope.tsx';
import { sentence } from '#ui/badge.tsx';
import { ChoiceFilter, FilterBar, MomentFilter } from '#ui/filters.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager } from '#ui/table.tsx';
import { DeliveryTable } from './DeliveryTable.tsx';
import { useEventTypes } from './eventTypes.ts';
import { WebhookTabs } from './WebhookTabs.tsx';

const STATUSES = ['pending', 'delivered', 'retrying', 'failed', 'blocked'] as const;
const NAMES = ['endpointId', 'eventType', 'since', 'until', 'cursor'] as const;

export function Deliveries() {
  const api = useApi();
  const [filters] = useFilters();
  const status = STATUSES.find((known) => known === filters['status']);
  const given = Object.fromEntries(NAMES.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])));
  const query = { limit: 50, ...given, ...(status && { status }) };
  const deliveries = api.useQuery(
    'get',
    '/console/v1/webhooks/deliveries',
    { params: { query } },
    { placeholderData: (before) => before },
  );
  const endpoints = api.useQuery('get', '/console/v1/webhooks/endpoints', { params: { query: { limit: 100 } } });
  const { types } = useEventTypes();
  return (
    <Page title="Webhooks" about="Every delivery with its attempts, responses and next retry.">
      <WebhookTabs />
      <Card flush>
        <FilterBar>
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
        </FilterBar>
        <Loaded query={deliveries}>
          {({ items, nextCursor }) => (
            <>
              <DeliveryTable
                deliveries={items}
                empty={<Empty title="No deliveries">Deliveries appear here once an event matches an endpoint.</Empty>}
              />
              <Pager nextCursor={nextCursor} />
            </>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}
