import { Box } from '@mantine/core';
import { Chart } from '#ui/Chart.tsx';

type Entry = { kind: string; createdAt: string };

/** Segments per day of the shown entries. */
export function UsageChart({ entries }: { entries: readonly Entry[] }) {
  const segments = entries.filter(({ kind }) => kind === 'segment').toReversed();
  const days = [...Map.groupBy(segments, ({ createdAt }) => createdAt.slice(0, 10))];
  if (days.length === 0) return null;
  const values = days.map(([, { length }]) => length);
  return (
    <Box p="md">
      <Chart
        label="Segments per day"
        kind="stack"
        dates={days.map(([day]) => day)}
        series={[{ name: 'Segments', tone: 'blue', values }]}
      />
    </Box>
  );
}
