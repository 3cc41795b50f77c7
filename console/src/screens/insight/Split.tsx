import { Box } from '@mantine/core';
import type { Insight as Figures } from '#api/records.ts';
import { Chart } from '#ui/Chart.tsx';
import { Card } from '#ui/page.tsx';
import { Empty } from '#ui/states.tsx';
import { type Column, Table } from '#ui/table.tsx';
import { Term } from '#ui/term.tsx';
import { percent } from './numbers.ts';

type Series = Figures['series'][number];
type SplitProps = {
  figures: Figures;
  figure: Series['figure'];
  title: string;
  name: (key: string) => string;
  term?: string;
  about?: string;
};

const sum = ({ counts }: Series) => counts.reduce((total, count) => total + count, 0);
const TONES = ['blue', 'green', 'red'] as const;

/** One figure by its keys: the most frequent three drawn, all of them counted below. */
export function Split({ figures, figure, title, name, term, about }: SplitProps) {
  const series = figures.series.filter((one) => one.figure === figure).sort((a, b) => sum(b) - sum(a));
  const total = series.reduce((all, one) => all + sum(one), 0);
  const columns: readonly Column<Series>[] = [
    {
      name: 'Kind',
      cell: ({ key }) => (term === undefined ? name(key) : <Term name={key}>{name(key)}</Term>),
    },
    { name: 'Number', align: 'right', cell: (one) => sum(one).toLocaleString('en') },
    { name: 'Share', align: 'right', cell: (one) => percent.format(sum(one) / total) },
  ];
  return (
    <Card flush title={title} about={about}>
      {total === 0 ? (
        <Empty title="None in this period" />
      ) : (
        <>
          <Box px="md" pt="md">
            <Chart
              label={`${title} per day`}
              kind="lines"
              dates={figures.dates}
              series={series.slice(0, TONES.length).map(({ key, counts }, index) => ({
                name: name(key),
                tone: TONES[index] ?? 'blue',
                values: counts,
              }))}
            />
          </Box>
          <Table label={title} rows={series} keyOf={({ key }) => key} empty={null} columns={columns} />
        </>
      )}
    </Card>
  );
}
