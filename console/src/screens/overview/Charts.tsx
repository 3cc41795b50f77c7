import '@mantine/charts/styles.css';
import { AreaChart, BarChart } from '@mantine/charts';
import type { Overview } from '#api/records.ts';
import { shortDay } from '#ui/moments.ts';
import { Card, Columns } from '#ui/page.tsx';
import classes from './overview.module.css';

type Days = Overview['days'];

const shared = {
  h: 220,
  dataKey: 'day',
  withLegend: true,
  gridAxis: 'x',
  tickLine: 'none',
  strokeDasharray: '0',
  xAxisProps: { minTickGap: 28 },
  yAxisProps: { width: 36, allowDecimals: false },
  legendProps: { verticalAlign: 'bottom', height: 28 },
} as const;

export function Charts({ days }: { days: Days }) {
  const data = days.map((day) => ({ ...day, day: shortDay(day.date), undelivered: day.deliveries - day.delivered }));
  return (
    <>
      <Card title="Sign-ins">
        <AreaChart
          {...shared}
          data={data}
          curveType="linear"
          strokeWidth={1.75}
          withDots={false}
          fillOpacity={0.12}
          series={[
            { name: 'signIns', label: 'Signed in', color: 'blue.5' },
            { name: 'failures', label: 'Failed', color: 'red.6' },
          ]}
        />
        <AsTable days={days} />
      </Card>
      <Columns>
        <Card title="Members">
          <BarChart
            {...shared}
            data={data}
            maxBarWidth={18}
            series={[
              { name: 'activeMembers', label: 'Active', color: 'blue.5' },
              { name: 'newMembers', label: 'New', color: 'teal.6' },
            ]}
          />
        </Card>
        <Card title="Webhook deliveries">
          <BarChart
            {...shared}
            type="stacked"
            data={data}
            maxBarWidth={18}
            series={[
              { name: 'delivered', label: 'Delivered', color: 'teal.6' },
              { name: 'undelivered', label: 'Not delivered', color: 'red.6' },
            ]}
          />
        </Card>
      </Columns>
    </>
  );
}

/** The same figures for those who don't see the charts. */
function AsTable({ days }: { days: Days }) {
  return (
    <table className={classes.hidden}>
      <caption>Figures per day</caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Sign-ins</th>
          <th scope="col">Failed</th>
          <th scope="col">New members</th>
          <th scope="col">Active members</th>
          <th scope="col">Deliveries</th>
        </tr>
      </thead>
      <tbody>
        {days.map(({ date, signIns, failures, newMembers, activeMembers, deliveries }) => (
          <tr key={date}>
            <th scope="row">{date}</th>
            {[signIns, failures, newMembers, activeMembers, deliveries].map((value, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns never move
              <td key={index}>{value}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
