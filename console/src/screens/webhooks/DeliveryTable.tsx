import type { ReactNode } from 'react';
import type { Delivery } from '#api/records.ts';
import { EventName } from '#screens/logs/EventName.tsx';
import { useAt } from '#shell/place.ts';
import { StateBadge } from '#ui/badge.tsx';
import { Table } from '#ui/table.tsx';
import { LogTime, Time } from '#ui/time.tsx';

export function DeliveryTable({ deliveries, empty }: { deliveries: readonly Delivery[]; empty: ReactNode }) {
  const at = useAt();
  return (
    <Table
      label="Deliveries"
      rows={deliveries}
      keyOf={({ id }) => id}
      href={({ id }) => at(`/webhooks/deliveries/${id}`)}
      empty={empty}
      columns={[
        { name: 'Event', cell: ({ eventType }) => <EventName name={eventType} /> },
        { name: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
        { name: 'Attempts', wide: true, align: 'right', cell: ({ attemptCount }) => attemptCount },
        { name: 'Next attempt', wide: true, cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} /> },
        { name: 'Created', align: 'right', cell: ({ createdAt }) => <LogTime at={createdAt} /> },
      ]}
    />
  );
}
