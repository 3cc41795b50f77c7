import type { Insight as Figures } from '#api/records.ts';
import { Card } from '#ui/page.tsx';
import { type Column, Table } from '#ui/table.tsx';
import { month, shareOf } from './numbers.ts';

type Cohort = Figures['cohorts'][number];

/** Of the people of each month, how many came back in the months after it. */
export function Cohorts({ figures: { cohorts } }: { figures: Figures }) {
  const columns: readonly Column<Cohort>[] = [
    { name: 'Account from', short: true, cell: (cohort) => month.format(new Date(cohort.month)) },
    { name: 'Joined', align: 'right', cell: ({ joined }) => joined.toLocaleString('en') },
    ...cohorts.map((_, index) => ({
      name: index === 0 ? 'Same month' : `+${index}`,
      align: 'right' as const,
      wide: index > 2,
      cell: ({ active }: Cohort) => (index < active.length ? <Returned cohort={active} at={index} /> : ''),
    })),
  ];
  return (
    <Card
      flush
      title="Return by month"
      about="People whose account is from a month, and how many of those who came then were active in the months after it."
    >
      <Table label="Return by month" rows={cohorts} keyOf={(cohort) => cohort.month} empty={null} columns={columns} />
    </Card>
  );
}

function Returned({ cohort, at }: { cohort: readonly number[]; at: number }) {
  const [first = 0] = cohort;
  const people = cohort[at] ?? 0;
  return shareOf(people, at === 0 ? 0 : first);
}

type Adoption = Figures['secondFactors'][number];
const ADOPTION: readonly Column<Adoption>[] = [
  { name: 'Month', short: true, cell: (one) => month.format(new Date(one.month)) },
  { name: 'Active people', align: 'right', cell: ({ active }) => active.toLocaleString('en') },
  { name: 'With two factors', align: 'right', cell: (one) => shareOf(one.withTwoFactors, one.active) },
];

/** Of the people who were active in a month, how many signed in with two factors. */
export function SecondFactors({ figures: { secondFactors } }: { figures: Figures }) {
  return (
    <Card
      flush
      title="Two factors by month"
      about="People who were active in a month, and how many of them signed in with two factors."
    >
      <Table
        label="Two factors by month"
        rows={secondFactors}
        keyOf={(one) => one.month}
        empty={null}
        columns={ADOPTION}
      />
    </Card>
  );
}
