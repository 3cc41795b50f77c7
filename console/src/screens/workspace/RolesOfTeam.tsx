import { useApi } from '#api/scope.tsx';
import { sentence } from '#ui/badge.tsx';
import { Card } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';

/** The permissions of each team role. */
export function RolesOfTeam() {
  const roles = useApi().useQuery('get', '/console/v1/team/roles', {}, { staleTime: 600_000 });
  return (
    <Card flush title="Team roles">
      <Loaded query={roles}>
        {({ items }) => (
          <Table
            label="Roles of the team"
            rows={items}
            keyOf={({ role }) => role}
            empty="No roles"
            columns={[
              { name: 'Role', short: true, cell: ({ role }) => sentence(role) },
              { name: 'Description', cell: ({ description }) => description },
              {
                name: 'Permissions',
                wide: true,
                align: 'right',
                cell: ({ permissions }) => <span title={permissions.join(', ')}>{permissions.length}</span>,
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
