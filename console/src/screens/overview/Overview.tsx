import { SegmentedControl, SimpleGrid, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Overview as Figures } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Page } from '#ui/page.tsx';
import { linkTo, useFilters } from '#ui/search.ts';
import { Loaded, Loading } from '#ui/states.tsx';
import { Charts } from './Charts.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import classes from './overview.module.css';

const PERIODS = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
];

export function Overview() {
  const [{ days = '30' }, setFilters] = useFilters();
  const query = { days: Number(days) };
  const overview = useApi().useQuery(
    'get',
    '/console/v1/overview',
    { params: { query } },
    { placeholderData: (before) => before },
  );
  return (
    <Page
      title="Overview"
      actions={
        <SegmentedControl
          data={PERIODS}
          value={days}
          onChange={(value) => setFilters({ days: value })}
          aria-label="Period"
        />
      }
    >
      <Loaded query={overview} skeleton={<Loading lines={12} />}>
        {(figures) =>
          figures.totals.members <= 1 ? <Beginning figures={figures} /> : <Everything figures={figures} />
        }
      </Loaded>
    </Page>
  );
}

function Beginning({ figures }: { figures: Figures }) {
  const { signIns, failures, deliveries } = figures.totals;
  return (
    <>
      <FirstSteps />
      {signIns + failures + deliveries > 0 && <Everything figures={figures} />}
    </>
  );
}

function Everything({ figures }: { figures: Figures }) {
  const at = useAt();
  const { totals } = figures;
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
        <Figure name="Sign-ins" value={totals.signIns} to={at('/events?type=user.login')} />
        <Figure
          name="Failed sign-ins"
          value={totals.failures}
          note={share(totals.failures, totals.signIns + totals.failures)}
          to={at('/events')}
        />
        <Figure
          name="New members"
          value={totals.newMembers}
          note={`${totals.members.toLocaleString('en')} in total`}
          to={at('/members')}
        />
        <Figure name="Active this month" value={totals.activeMembersThisMonth} to={at('/members?status=active')} />
        <Figure
          name="Webhooks delivered"
          value={totals.delivered}
          note={
            totals.deliveries === 0
              ? 'none sent'
              : `${share(totals.delivered, totals.deliveries)} of ${totals.deliveries.toLocaleString('en')}`
          }
          to={at('/webhooks/deliveries')}
        />
      </SimpleGrid>
      <Charts days={figures.days} />
    </>
  );
}

function Figure({ name, value, note, to }: { name: string; value: number; note?: ReactNode; to: string }) {
  return (
    <Link {...linkTo(to)} className={classes.figure}>
      <Text size="xs" className={classes.figureName}>
        {name}
      </Text>
      <span className={classes.figureValue}>{value.toLocaleString('en')}</span>
      <Text size="xs" className={classes.figureName}>
        {note ?? ' '}
      </Text>
    </Link>
  );
}

/** A share in percent, or a dash if the whole is zero. */
function share(part: number, whole: number): string {
  return whole === 0
    ? '–'
    : new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 }).format(part / whole);
}
