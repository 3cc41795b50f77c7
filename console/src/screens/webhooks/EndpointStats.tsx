import { Stack } from '@mantine/core';
import type { WebhookStats } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { Chart } from '#ui/Chart.tsx';
import { hourOf } from '#ui/moments.ts';
import { Card, Columns, Facts } from '#ui/page.tsx';
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
        {({ deliveries, attempts, successRate, oldestWaitingAt, since, hours }) => (
          <Stack>
            {attempts.total > 0 && <Hours hours={hours} />}
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
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));

/** Attempts and their response times, by hour. */
function Hours({ hours }: Pick<WebhookStats, 'hours'>) {
  const dates = hours.map(({ since }) => since);
  return (
    <Columns>
      <Chart
        label="Attempts per hour"
        kind="stack"
        dates={dates}
        nameOf={hourOf}
        series={[
          { name: 'Succeeded', tone: 'green', values: hours.map(({ succeeded }) => succeeded) },
          { name: 'Failed', tone: 'red', values: hours.map(({ failed }) => failed) },
        ]}
      />
      <Chart
        label="Response time per hour, in milliseconds"
        kind="lines"
        dates={dates}
        nameOf={hourOf}
        series={[
          { name: 'Median (p50), ms', tone: 'blue', values: hours.map(({ p50Ms }) => rounded(p50Ms)) },
          {
            name: '1 in 100 is slower (p99), ms',
            tone: 'red',
            values: hours.map(({ p99Ms }) => rounded(p99Ms)),
          },
        ]}
      />
    </Columns>
  );
}
