import { useApi } from '#api/scope.tsx';
import { Card, Facts } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 2 });

/** How an endpoint is doing. */
export function EndpointStats({ endpointId }: { endpointId: string }) {
  const stats = useApi().useQuery('get', '/console/v1/webhooks/endpoints/{endpointId}/stats', {
    params: { path: { endpointId } },
  });
  return (
    <Card title="How it is doing">
      <Loaded query={stats}>
        {({ deliveries, attempts, successRate, oldestWaitingAt, since }) => (
          <Facts
            facts={[
              [
                'Attempts that succeeded',
                successRate === null
                  ? 'None were made'
                  : `${percent.format(successRate)} of ${attempts.total.toLocaleString('en')}`,
              ],
              [
                'Answers after',
                attempts.p50Ms === null
                  ? '–'
                  : `${Math.round(attempts.p50Ms)} ms, 1 in 100 after ${Math.round(attempts.p99Ms ?? 0)} ms`,
              ],
              ['Delivered', deliveries.delivered.toLocaleString('en')],
              ['Waiting', (deliveries.pending + deliveries.retrying).toLocaleString('en')],
              ['Failed for good', (deliveries.failed + deliveries.blocked).toLocaleString('en')],
              ['Oldest that waits', <Time key="oldest" at={oldestWaitingAt} none="None" />],
              ['Counted since', <Time key="since" at={since} />],
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
