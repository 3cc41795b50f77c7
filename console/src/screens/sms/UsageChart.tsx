import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Box } from '@mantine/core';
import { shortDay } from '#ui/moments.ts';

type Entry = { kind: string; createdAt: string };

/** Segments per day, of the entries that are shown. */
export function UsageChart({ entries }: { entries: readonly Entry[] }) {
  const segments = entries.filter(({ kind }) => kind === 'segment').toReversed();
  const days = Map.groupBy(segments, ({ createdAt }) => createdAt.slice(0, 10));
  const data = [...days].map(([day, { length }]) => ({ day: shortDay(day), segments: length }));
  if (data.length === 0) return null;
  return (
    <Box p="md">
      <BarChart
        h={180}
        data={data}
        dataKey="day"
        maxBarWidth={24}
        tickLine="none"
        gridAxis="x"
        series={[{ name: 'segments', label: 'Segments', color: 'blue.5' }]}
      />
    </Box>
  );
}
