import { Box } from '@mantine/core';
import type { Insight as Figures } from '#api/records.ts';
import { Chart } from '#ui/Chart.tsx';
import { Card } from '#ui/page.tsx';
import { Empty } from '#ui/states.tsx';
import { type Column, Table } from '#ui/table.tsx';
import { shareOf } from './numbers.ts';

const STEPS = [
  { key: 'started', name: 'Started', tone: 'blue' },
  { key: 'proven', name: 'Address proven', tone: 'red' },
  { key: 'finished', name: 'Finished', tone: 'green' },
] as const;

type Step = { key: string; name: string; people: number; started: number };
const COLUMNS: readonly Column<Step>[] = [
  { name: 'Step', cell: ({ name }) => name },
  { name: 'People', align: 'right', cell: ({ people, started }) => shareOf(people, started) },
];

/** How far the people came who began to register on each day. */
export function Registration({ figures: { dates, series } }: { figures: Figures }) {
  const countsOf = (key: string) =>
    series.find((one) => one.figure === 'registration_steps' && one.key === key)?.counts ?? dates.map(() => 0);
  const peopleOf = (key: string) => countsOf(key).reduce((total, count) => total + count, 0);
  const started = peopleOf('started');
  return (
    <Card
      flush
      title="Registration"
      about="People who register with an address, by the day on which they began, and how far they came since. Where addresses are not verified, nobody proves one."
    >
      {started === 0 ? (
        <Empty title="None in this period" />
      ) : (
        <>
          <Box px="md" pt="md">
            <Chart
              label="Registration per day"
              kind="lines"
              dates={dates}
              series={STEPS.map(({ key, name, tone }) => ({ name, tone, values: countsOf(key) }))}
            />
          </Box>
          <Table
            label="Registration"
            rows={STEPS.map(({ key, name }) => ({ key, name, started, people: peopleOf(key) }))}
            keyOf={({ key }) => key}
            empty={null}
            columns={COLUMNS}
          />
        </>
      )}
    </Card>
  );
}
