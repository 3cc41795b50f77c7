import { Button } from '@mantine/core';
import type { Insight as Figures } from '#api/records.ts';
import { csvOf, saveText } from '#ui/csv.ts';
import type { Column } from '#ui/table.tsx';

type Line = { date: string; figure: string; key: string; count: number };
const LINES: readonly Column<Line>[] = (['date', 'figure', 'key', 'count'] as const).map((name) => ({
  name,
  cell: () => null,
  value: (line) => line[name],
}));

/** Everything on the screen, a number per line; those of a month have its first day. */
function linesOf({ dates, series, cohorts, secondFactors }: Figures): Line[] {
  return [
    ...series.flatMap(({ figure, key, counts }) =>
      dates.map((date, index) => ({ date, figure, key, count: counts[index] ?? 0 })),
    ),
    ...cohorts.flatMap(({ month, joined, active }, first) => [
      { date: month, figure: 'joined', key: month, count: joined },
      ...active.map((count, later) => ({
        date: cohorts[first + later]?.month ?? month,
        figure: 'active_by_month_of_account',
        key: month,
        count,
      })),
    ]),
    ...secondFactors.flatMap(({ month: date, active, withTwoFactors }) => [
      { date, figure: 'active_people', key: 'all', count: active },
      { date, figure: 'active_people', key: 'with_two_factors', count: withTwoFactors },
    ]),
  ];
}

export function SaveFigures({ figures }: { figures: Figures }) {
  return (
    <Button variant="default" onClick={() => saveText('insight.csv', 'text/csv', csvOf(LINES, linesOf(figures)))}>
      CSV
    </Button>
  );
}
