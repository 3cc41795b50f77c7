import type { Overview } from '#api/records.ts';
import { Chart } from '#ui/Chart.tsx';
import { Card, Columns } from '#ui/page.tsx';
import classes from './overview.module.css';

type Days = Overview['days'];

export function Charts({ days }: { days: Days }) {
  const dates = days.map(({ date }) => date);
  const series = (pick: (day: Days[number]) => number) => days.map(pick);
  return (
    <>
      <Card title="Sign-ins">
        <Chart
          label="Sign-ins per day"
          kind="lines"
          dates={dates}
          series={[
            { name: 'Signed in', tone: 'blue', values: series(({ signIns }) => signIns) },
            { name: 'Failed', tone: 'red', values: series(({ failures }) => failures) },
          ]}
        />
        <AsTable days={days} />
      </Card>
      <Columns>
        <Card title="Members">
          <Chart
            label="Members per day"
            kind="lines"
            dates={dates}
            series={[
              { name: 'Active', tone: 'blue', values: series(({ activeMembers }) => activeMembers) },
              { name: 'New', tone: 'green', values: series(({ newMembers }) => newMembers) },
            ]}
          />
        </Card>
        <Card title="Webhook deliveries">
          <Chart
            label="Webhook deliveries per day"
            kind="stack"
            dates={dates}
            series={[
              { name: 'Delivered', tone: 'green', values: series(({ delivered }) => delivered) },
              { name: 'Not delivered', tone: 'red', values: series((day) => day.deliveries - day.delivered) },
            ]}
          />
        </Card>
      </Columns>
    </>
  );
}

/** The figures as a table for screen readers. */
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
            <td>{signIns}</td>
            <td>{failures}</td>
            <td>{newMembers}</td>
            <td>{activeMembers}</td>
            <td>{deliveries}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
