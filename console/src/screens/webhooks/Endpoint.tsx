import { Stack, TagsInput, TextInput } from '@mantine/core';
import type { WebhookEndpoint } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { SettingsCard, useRecordForm } from '#ui/form.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { DeliveryTable } from './DeliveryTable.tsx';
import { EndpointActions } from './EndpointActions.tsx';
import { EndpointStats } from './EndpointStats.tsx';
import { EndpointState } from './Endpoints.tsx';
import { useEventTypes } from './eventTypes.ts';

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
  const deliveries = useApi().useQuery('get', '/console/v1/webhooks/deliveries', {
    params: { query: { endpointId: endpoint.id, limit: 10 } },
  });
  return (
    <Page
      title={endpoint.url}
      back={{ to: at('/webhooks'), label: 'Webhooks' }}
      beside={<EndpointState endpoint={endpoint} />}
      actions={canWrite && <EndpointActions endpoint={endpoint} />}
    >
      <EndpointStats endpointId={endpoint.id} />
      <Edit endpoint={endpoint} reread={reread} canWrite={canWrite} />
      <Card flush title="Latest deliveries">
        <Loaded query={deliveries}>
          {({ items }) => <DeliveryTable deliveries={items} empty="No deliveries yet" />}
        </Loaded>
      </Card>
    </Page>
  );
}

function Edit({ endpoint, reread, canWrite }: DetailProps & { canWrite: boolean }) {
  const change = useApi().useMutation('patch', '/console/v1/webhooks/endpoints/{endpointId}');
  const { choices } = useEventTypes();
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
      <TagsInput
        label="Events"
        data={choices}
        value={values.events}
        error={errors.events}
        onChange={(events) => set({ events })}
      />
      <TextInput label="Description" {...form.text('description')} />
      {Object.keys(values.headers).length > 0 && (
        <Stack gap={2}>Sent with: {Object.keys(values.headers).join(', ')}</Stack>
      )}
    </SettingsCard>
  );
}
