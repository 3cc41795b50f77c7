import { useApi } from '#api/scope.tsx';
import { Card, Facts } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 2 });

/** The delivery statistics of an endpoint. */
export function EndpointStats({ endpointId }: { endpointId: string }) {
  const stats = useApi().useQuery('get', '/console/v1/webhooks/endpoints/{endpointId}/stats', {
    params: { path: { endpointId } },
  });
  return (
    <Card title="Statistics">
      <Loaded query={stats}>
        {({ deliveries, attempts, successRate, oldestWaitingAt, since }) => (
          <Facts
            facts={[
              [
                'Successful attempts',
                successRate === null
                  ? 'No attempts'
                  : `${percent.format(successRate)} of ${attempts.total.toLocaleString('en')}`,
              ],
              [
                'Response time',
                attempts.p50Ms === null
                  ? '–'
                  : `${Math.round(attempts.p50Ms)} ms median, ${Math.round(attempts.p99Ms ?? 0)} ms p99`,
              ],
              ['Delivered', deliveries.delivered.toLocaleString('en')],
              ['Waiting', (deliveries.pending + deliveries.retrying).toLocaleString('en')],
              ['Failed permanently', (deliveries.failed + deliveries.blocked).toLocaleString('en')],
              ['Oldest waiting', <Time key="oldest" at={oldestWaitingAt} none="None" />],
              ['Since', <Time key="since" at={since} />],
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
