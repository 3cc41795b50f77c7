import { Link } from '@tanstack/react-router';
import type { Member } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { EventName } from '#screens/logs/EventName.tsx';
import { actorOf } from '#screens/logs/names.ts';
import { useAt } from '#shell/place.ts';
import { Card } from '#ui/page.tsx';
import { linkTo } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';

/** What happened to a member lately, and by whom. */
export function MemberEvents({ member: { userId } }: { member: Member }) {
  const at = useAt();
  const events = useApi().useQuery('get', '/console/v1/audit-log', {
    params: { query: { limit: 10, resource: userId } },
  });
  return (
    <Card flush title="Latest events" actions={<Link {...linkTo(at(`/audit?resource=${userId}`))}>All of them</Link>}>
      <Loaded query={events}>
        {({ items, names }) => (
          <Table
            label="Latest events"
            rows={items}
            keyOf={({ id }) => id}
            empty="Nothing yet"
            columns={[
              { name: 'Event', cell: ({ action }) => <EventName name={action} /> },
              { name: 'By', wide: true, cell: (event) => actorOf(event, names).name },
              { name: 'When', align: 'right', cell: ({ occurredAt }) => <Time at={occurredAt} /> },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
