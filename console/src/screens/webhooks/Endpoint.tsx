import { Stack, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { WebhookEndpoint } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Copy } from '#ui/copy.tsx';
import { SettingsCard, useRecordForm } from '#ui/form.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { deliveryColumns } from './deliveryColumns.tsx';
import { EndpointActions } from './EndpointActions.tsx';
import { EndpointStats } from './EndpointStats.tsx';
import { EndpointState } from './Endpoints.tsx';
import { EventTree } from './EventTree.tsx';

export function Endpoint() {
  const endpointId = useIdInAddress();
  const endpoint = useApi().useQuery('get', '/console/v1/webhooks/endpoints/{endpointId}', {
    params: { path: { endpointId } },
  });
  return <Loaded query={endpoint}>{(record) => <Detail endpoint={record} reread={endpoint.refetch} />}</Loaded>;
}

type DetailProps = { endpoint: WebhookEndpoint; reread: () => Promise<{ data?: WebhookEndpoint }> };

function Detail({ endpoint, reread }: DetailProps) {
  const at = useAt();
  const canWrite = useCan('webhooks:write');
  const deliveries = useApi().useQuery('get', '/console/v1/delivery-log', {
    params: { query: { endpointId: endpoint.id, limit: 10 } },
  });
  return (
    <Page
      title={endpoint.url}
      back={{ to: at('/webhooks'), label: 'Webhooks' }}
      beside={<EndpointState endpoint={endpoint} />}
      actions={canWrite && <EndpointActions endpoint={endpoint} />}
    >
      {endpoint.organizationId && (
        <Card>
          <Facts
            facts={[['Only events about', <OrganizationName key="organization" id={endpoint.organizationId} />]]}
          />
        </Card>
      )}
      <EndpointStats endpointId={endpoint.id} />
      <Edit endpoint={endpoint} reread={reread} canWrite={canWrite} />
      <Card flush title="Latest deliveries">
        <Loaded query={deliveries}>
          {({ items, names, members }) => (
            <Table
              label="Deliveries"
              rows={items}
              keyOf={({ id }) => id}
              href={({ id }) => at(`/webhooks/deliveries/${id}`)}
              empty="No deliveries yet"
              columns={deliveryColumns({ names, members, addressOf: () => endpoint.url }).filter(
                ({ name, extra }) => name !== 'Endpoint' && !extra,
              )}
            />
          )}
        </Loaded>
      </Card>
    </Page>
  );
}

/** The organization by its name, or by its id for those who may not see it. */
function OrganizationName({ id }: { id: string }) {
  const at = useAt();
  const { data } = useApi().useQuery(
    'get',
    '/console/v1/organizations/{organizationId}',
    { params: { path: { organizationId: id } } },
    { enabled: useCan('organizations:read') },
  );
  return data ? <Link to={at(`/organizations/${id}`)}>{data.name}</Link> : <Copy value={id} />;
}

function Edit({ endpoint, reread, canWrite }: DetailProps & { canWrite: boolean }) {
  const change = useApi().useMutation('patch', '/console/v1/webhooks/endpoints/{endpointId}');
  const form = useRecordForm({
    record: endpoint,
    path: `/console/v1/webhooks/endpoints/${endpoint.id}`,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes: { url, events, description }, headers }) =>
        change.mutateAsync({
          params: { path: { endpointId: endpoint.id } },
          body: { url, events, description },
          headers,
        }),
    },
    reread,
    done: 'Endpoint saved',
    undone: 'Change undone',
  });
  const { values, errors, set } = form;
  return (
    <SettingsCard title="Settings" form={form} canWrite={canWrite}>
      <TextInput type="url" label="Address" {...form.text('url')} />
      <EventTree value={values.events} error={errors.events} onChange={(events) => set({ events })} />
      <TextInput label="Description" {...form.text('description')} />
      {Object.keys(values.headers).length > 0 && (
        <Stack gap={2}>Sent with: {Object.keys(values.headers).join(', ')}</Stack>
      )}
    </SettingsCard>
  );
}
