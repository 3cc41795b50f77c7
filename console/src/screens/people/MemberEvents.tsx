import { Link } from '@tanstack/react-router';
import type { Member } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { EventName } from '#screens/logs/EventName.tsx';
import { NameLink } from '#screens/logs/NameLink.tsx';
import { actorOf } from '#screens/logs/names.ts';
import { useAt } from '#shell/place.ts';
import { Card } from '#ui/page.tsx';
import { linkTo } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { LogTime } from '#ui/time.tsx';

/** The latest events of a member. */
export function MemberEvents({ member: { userId } }: { member: Member }) {
  const at = useAt();
  const events = useApi().useQuery('get', '/console/v1/audit-log', {
    params: { query: { limit: 10, resource: userId } },
  });
  return (
    <Card flush title="Latest events" actions={<Link {...linkTo(at(`/audit?resource=${userId}`))}>View all</Link>}>
      <Loaded query={events}>
        {({ items, names, members }) => (
          <Table
            label="Latest events"
            rows={items}
            keyOf={({ id }) => id}
            empty="No events yet"
            columns={[
              { name: 'Event', cell: ({ action }) => <EventName name={action} /> },
              { name: 'Actor', wide: true, cell: (event) => <NameLink of={actorOf(event, names)} members={members} /> },
              { name: 'Time', align: 'right', cell: ({ occurredAt }) => <LogTime at={occurredAt} /> },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
