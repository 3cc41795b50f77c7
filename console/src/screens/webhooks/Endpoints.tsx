import { Button } from '@mantine/core';
import type { WebhookEndpoint } from '#api/records.ts';
import { useApi, useCan, useClient } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Badge } from '#ui/badge.tsx';
import { List } from '#ui/list.tsx';
import { Page } from '#ui/page.tsx';
import { useFilters, useNewDialog } from '#ui/search.ts';
import { Empty } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { NewEndpoint } from './NewEndpoint.tsx';
import { WebhookTabs } from './WebhookTabs.tsx';

export function Endpoints() {
  const at = useAt();
  const [open, { open: show, close }] = useNewDialog();
  const [{ cursor }] = useFilters();
  const query = { limit: 50, ...(cursor && { cursor }) };
  const client = useClient();
  const endpoints = useApi().useQuery('get', '/console/v1/webhooks/endpoints', { params: { query } });
  const add = useCan('webhooks:write') ? <Button onClick={show}>Add endpoint</Button> : null;
  return (
    <Page
      title="Webhooks"
      about="Events posted to your back end, signed as Standard Webhooks and retried for days."
      actions={add}
    >
      <WebhookTabs />
      <List
        query={endpoints}
        readPage={(page) => client.GET('/console/v1/webhooks/endpoints', { params: { query: page } })}
        label="Webhook endpoints"
        keyOf={({ id }) => id}
        href={({ id }) => at(`/webhooks/${id}`)}
        empty={
          <Empty title="No endpoints yet" action={add}>
            An endpoint is your URL and the events it receives, such as <code>user.*</code>.
          </Empty>
        }
        columns={[
          { name: 'Address', value: ({ url }) => url, cell: ({ url }) => url },
          {
            name: 'State',
            value: ({ enabled, failingSince }) => (!enabled ? 'Disabled' : failingSince ? 'Failing' : 'Enabled'),
            cell: (endpoint) => <EndpointState endpoint={endpoint} />,
          },
          {
            name: 'Events',
            value: ({ events }) => events.join(' '),
            wide: true,
            cell: ({ events }) => summary(events),
          },
          {
            name: 'Added',
            value: ({ createdAt }) => createdAt,
            wide: true,
            align: 'right',
            cell: ({ createdAt }) => <Time at={createdAt} />,
          },
        ]}
      />
      {open && <NewEndpoint onClose={close} />}
    </Page>
  );
}

export function EndpointState({ endpoint: { enabled, failingSince, disabledReason } }: { endpoint: WebhookEndpoint }) {
  if (!enabled)
    return (
      <Badge tone="bad">
        {disabledReason === 'failing'
          ? 'Disabled: failed repeatedly'
          : disabledReason === 'gone'
            ? 'Disabled: returned 410'
            : 'Disabled'}
      </Badge>
    );
  return failingSince ? <Badge tone="warn">Failing</Badge> : <Badge tone="good">Enabled</Badge>;
}

function summary(events: readonly string[]): string {
  const [first, second, ...others] = events;
  return [first, second, others.length > 0 ? `and ${others.length} more` : undefined].filter(Boolean).join(', ');
}
