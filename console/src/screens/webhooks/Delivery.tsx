import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { Badge, StateBadge, sentence } from '#ui/badge.tsx';
import { Copy } from '#ui/copy.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';

export function Delivery() {
  const at = useAt();
  const api = useApi();
  const deliveryId = useIdInAddress();
  const params = { path: { deliveryId } };
  const delivery = api.useQuery('get', '/console/v1/webhooks/deliveries/{deliveryId}', { params });
  const retry = useAction(api.useMutation('post', '/console/v1/webhooks/deliveries/{deliveryId}/retry'));
  const canWrite = useCan('webhooks:write');
  return (
    <Loaded query={delivery}>
      {({ eventType, eventId, endpointId, status, nextAttemptAt, createdAt, attempts }) => (
        <Page
          title={eventType}
          back={{ to: at('/webhooks/deliveries'), label: 'Deliveries' }}
          beside={<StateBadge state={status} />}
          actions={
            canWrite && (
              <Button
                loading={retry.busy}
                onClick={() => retry.run({ params }, { done: 'It is sent again', change: 'Retry' })}
              >
                Retry now
              </Button>
            )
          }
        >
          <Card>
            <Facts
              facts={[
                ['Event', <Copy key="event" value={eventId} />],
                [
                  'Endpoint',
                  <Link key="endpoint" to={at(`/webhooks/${endpointId}`)}>
                    {endpointId}
                  </Link>,
                ],
                ['Made', <Time key="made" at={createdAt} />],
                ['Next attempt', <Time key="next" at={nextAttemptAt} none="None" />],
              ]}
            />
          </Card>
          <Card flush title="Attempts">
            <Table
              label="Attempts"
              rows={attempts}
              keyOf={({ startedAt }) => startedAt}
              empty="Not tried yet"
              columns={[
                { name: 'When', cell: ({ startedAt }) => <Time at={startedAt} /> },
                {
                  name: 'Answer',
                  cell: ({ statusCode, error }) => (
                    <Badge tone={statusCode !== null && statusCode < 300 ? 'good' : 'bad'}>
                      {statusCode ?? error ?? 'none'}
                    </Badge>
                  ),
                },
                { name: 'Because of', wide: true, cell: ({ trigger }) => sentence(trigger) },
                { name: 'Took', align: 'right', cell: ({ durationMs }) => `${durationMs} ms` },
                {
                  name: 'What came back',
                  wide: true,
                  cell: ({ responseSnippet, error }) => <code>{responseSnippet ?? error ?? ''}</code>,
                },
              ]}
            />
          </Card>
        </Page>
      )}
    </Loaded>
  );
}
