import type { Member } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { StateBadge } from '#ui/badge.tsx';
import { Card } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';

/** The newest organizations that a member is in. */
export function MemberOrganizations({ member: { id: memberId } }: { member: Member }) {
  const at = useAt();
  const organizations = useApi().useQuery('get', '/console/v1/organizations', {
    params: { query: { memberId, limit: 100 } },
  });
  return (
    <Loaded query={organizations}>
      {({ items }) =>
        items.length > 0 && (
          <Card flush title="Organizations">
            <Table
              label="Organizations"
              rows={items}
              keyOf={({ id }) => id}
              href={({ id }) => at(`/organizations/${id}`)}
              empty="No organizations"
              columns={[
                { name: 'Name', cell: ({ name }) => name },
                { name: 'Status', align: 'right', cell: ({ status }) => <StateBadge state={status} /> },
              ]}
            />
          </Card>
        )
      }
    </Loaded>
  );
}
