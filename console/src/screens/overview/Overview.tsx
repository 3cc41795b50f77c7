import { SegmentedControl, SimpleGrid, Text, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Overview as Figures } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { SignIns } from '#screens/insight/SignIns.tsx';
import { useAt } from '#shell/place.ts';
import { Columns, Page } from '#ui/page.tsx';
import { linkTo, useFilters } from '#ui/search.ts';
import { Loaded, Loading } from '#ui/states.tsx';
import { Attention } from './Attention.tsx';
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
  // Twice the period, to compare it with the one before.
  const query = { days: 2 * Number(days) };
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
        {(figures) => (
          <>
            <FirstSteps totals={figures.totals} />
            <Everything figures={figures} />
            <SignInsOf days={Number(days)} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Everything({ figures }: { figures: Figures }) {
  const at = useAt();
  const { totals } = figures;
  const { now, before } = halves(figures.days);
  return (
    <>
      <Attention />
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
        <Figure name="Sign-ins" value={now.signIns} before={before.signIns} to={at('/events?type=user.login')} />
        <Figure
          name="Failed sign-ins"
          value={now.failures}
          before={before.failures}
          note={share(now.failures, now.signIns + now.failures)}
          to={at('/events')}
        />
        <Figure
          name="New members"
          value={now.newMembers}
          before={before.newMembers}
          note={`${totals.members.toLocaleString('en')} in total`}
          to={at('/members')}
        />
        <Figure name="Active this month" value={totals.activeMembersThisMonth} to={at('/members?status=active')} />
        <Figure
          name="Webhooks delivered"
          value={now.delivered}
          before={before.delivered}
          note={
            now.deliveries === 0
              ? 'none sent'
              : `${share(now.delivered, now.deliveries)} of ${now.deliveries.toLocaleString('en')}`
          }
          to={at('/webhooks/deliveries')}
        />
      </SimpleGrid>
      <Charts days={figures.days.slice(figures.days.length / 2)} />
    </>
  );
}

/** For those who may see more than the sums. */
function SignInsOf({ days }: { days: number }) {
  const insight = useApi().useQuery(
    'get',
    '/console/v1/insight',
    { params: { query: { days } } },
    { enabled: useCan('events:read'), placeholderData: (before) => before },
  );
  return (
    insight.data && (
      <Columns>
        <SignIns figures={insight.data} />
      </Columns>
    )
  );
}

const COUNTED = ['signIns', 'failures', 'newMembers', 'deliveries', 'delivered'] as const;
type Sums = Record<(typeof COUNTED)[number], number>;

/** The sums of the period and of the one before it. */
function halves(days: Figures['days']): { now: Sums; before: Sums } {
  const sums = (some: Figures['days']): Sums => {
    const of = (name: (typeof COUNTED)[number]) => some.reduce((total, day) => total + day[name], 0);
    return {
      signIns: of('signIns'),
      failures: of('failures'),
      newMembers: of('newMembers'),
      deliveries: of('deliveries'),
      delivered: of('delivered'),
    };
  };
  const middle = days.length / 2;
  return { now: sums(days.slice(middle)), before: sums(days.slice(0, middle)) };
}

/** The change against the period before; nothing if that had none. */
function changeOf(value: number, before: number | undefined): string | null {
  if (!before) return null;
  const change = (value - before) / before;
  return `${change >= 0 ? '+' : '−'}${Math.abs(Math.round(100 * change))} %`;
}

type FigureProps = { name: string; value: number; before?: number; note?: ReactNode; to: string };

function Figure({ name, value, before, note, to }: FigureProps) {
  const change = changeOf(value, before);
  return (
    <Link {...linkTo(to)} className={classes.figure}>
      <Text size="xs" className={classes.figureName}>
        {name}
      </Text>
      <span className={classes.figureValue}>
        {value.toLocaleString('en')}
        {change !== null && (
          <Text component="span" size="xs" ml={8} className={classes.figureName}>
            {change}
            <VisuallyHidden> against the period before</VisuallyHidden>
          </Text>
        )}
      </span>
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
