import type { Delivery, Memberships, Names } from '#api/records.ts';
import { EventName } from '#screens/logs/EventName.tsx';
import { NameInRow } from '#screens/logs/NameInRow.tsx';
import { named } from '#screens/logs/names.ts';
import { StateBadge } from '#ui/badge.tsx';
import { Below, type Column } from '#ui/table.tsx';
import { LogTime, Time } from '#ui/time.tsx';
import classes from './deliveries.module.css';

type Known = { names: Names; members: Memberships; addressOf: (endpointId: string) => string };

/** The columns of deliveries, with the names of the people and the addresses of the endpoints. */
export function deliveryColumns({ names, members, addressOf }: Known): readonly Column<Delivery>[] {
  const personOf = ({ userId }: Delivery) => (userId === null ? null : named(userId, names));
  return [
    {
      name: 'Event',
      value: ({ eventType }) => eventType,
      cell: (delivery) => (
        <>
          <EventName name={delivery.eventType} />
          <Below>{personOf(delivery)?.name ?? addressOf(delivery.endpointId)}</Below>
        </>
      ),
    },
    {
      name: 'Person',
      wide: true,
      value: (delivery) => personOf(delivery)?.name ?? null,
      cell: (delivery) => {
        const person = personOf(delivery);
        return person ? <NameInRow of={person} members={members} /> : '–';
      },
    },
    { name: 'Status', value: ({ status }) => status, cell: ({ status }) => <StateBadge state={status} /> },
    {
      name: 'Endpoint',
      wide: true,
      value: ({ endpointId }) => addressOf(endpointId),
      cell: ({ endpointId }) => (
        <span className={classes.address} title={addressOf(endpointId)}>
          {addressOf(endpointId)}
        </span>
      ),
    },
    {
      name: 'Code',
      wide: true,
      align: 'right',
      value: ({ lastAttempt }) => lastAttempt?.statusCode ?? null,
      cell: ({ lastAttempt }) => (lastAttempt ? (lastAttempt.statusCode ?? 'None') : '–'),
    },
    {
      name: 'Took',
      wide: true,
      short: true,
      align: 'right',
      value: ({ lastAttempt }) => lastAttempt?.durationMs ?? null,
      cell: ({ lastAttempt }) => (lastAttempt ? `${lastAttempt.durationMs.toLocaleString('en')} ms` : '–'),
    },
    {
      name: 'Attempts',
      wide: true,
      align: 'right',
      value: ({ attemptCount }) => attemptCount,
      cell: ({ attemptCount }) => attemptCount,
    },
    {
      name: 'Next attempt',
      wide: true,
      value: ({ nextAttemptAt }) => nextAttemptAt,
      cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} />,
    },
    { name: 'Event id', wide: true, extra: true, value: ({ eventId }) => eventId, cell: ({ eventId }) => eventId },
    {
      name: 'Created',
      align: 'right',
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <LogTime at={createdAt} />,
    },
  ];
}
