import type { Delivery } from '#api/records.ts';
import { EventName } from '#screens/logs/EventName.tsx';
import { StateBadge } from '#ui/badge.tsx';
import { Below, type Column } from '#ui/table.tsx';
import { LogTime, Time } from '#ui/time.tsx';

/** The columns of deliveries; `addressOf` names the endpoint. */
export function deliveryColumns(addressOf: (endpointId: string) => string): readonly Column<Delivery>[] {
  return [
    {
      name: 'Event',
      value: ({ eventType }) => eventType,
      cell: ({ eventType, endpointId }) => (
        <>
          <EventName name={eventType} />
          <Below>{addressOf(endpointId)}</Below>
        </>
      ),
    },
    { name: 'Status', value: ({ status }) => status, cell: ({ status }) => <StateBadge state={status} /> },
    {
      name: 'Endpoint',
      wide: true,
      value: ({ endpointId }) => addressOf(endpointId),
      cell: ({ endpointId }) => addressOf(endpointId),
    },
    {
      name: 'Code',
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
