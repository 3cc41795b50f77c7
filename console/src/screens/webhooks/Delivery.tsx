import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { DeliveryDetail } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { StateBadge } from '#ui/badge.tsx';
import { Copy } from '#ui/copy.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { Attempts } from './Attempts.tsx';
import { Payload } from './Payload.tsx';

const LOOK_AGAIN_MS = 3000;

/** Whether more attempts will follow. */
function isUnderWay(delivery: DeliveryDetail | undefined): boolean {
  return delivery?.status === 'pending' || delivery?.status === 'retrying';
}

export function Delivery() {
  const at = useAt();
  const api = useApi();
  const deliveryId = useIdInAddress();
  const params = { path: { deliveryId } };
  const delivery = api.useQuery(
    'get',
    '/console/v1/webhooks/deliveries/{deliveryId}',
    { params },
    { refetchInterval: ({ state }) => (isUnderWay(state.data) ? LOOK_AGAIN_MS : false) },
  );
  const endpointOf = delivery.data?.endpointId ?? '';
  const endpoint = api.useQuery(
    'get',
    '/console/v1/webhooks/endpoints/{endpointId}',
    { params: { path: { endpointId: endpointOf } } },
    { enabled: endpointOf !== '', retry: false },
  );
  const retry = useAction(api.useMutation('post', '/console/v1/webhooks/deliveries/{deliveryId}/retry'));
  const canWrite = useCan('webhooks:write');
  return (
    <Loaded query={delivery}>
      {({ eventType, eventId, endpointId, status, nextAttemptAt, createdAt, payload, attempts }) => (
        <Page
          title={eventType}
          back={{ to: at('/webhooks/deliveries'), label: 'Deliveries' }}
          beside={<StateBadge state={status} />}
          actions={
            canWrite && (
              <Button
                loading={retry.busy}
                onClick={() => retry.run({ params }, { done: 'Delivery queued for retry', change: 'Retry' })}
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
                    {endpoint.data?.url ?? endpointId}
                  </Link>,
                ],
                ['Created', <Time key="created" at={createdAt} />],
                ['Next attempt', <Time key="next" at={nextAttemptAt} none="None" />],
              ]}
            />
          </Card>
          <Attempts attempts={attempts} />
          <Payload payload={payload} />
        </Page>
      )}
    </Loaded>
  );
}
