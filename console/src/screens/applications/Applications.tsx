import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useApi, useCan, useClient } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Badge } from '#ui/badge.tsx';
import { Copy } from '#ui/copy.tsx';
import { List } from '#ui/list.tsx';
import { Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { kindOf } from './kinds.ts';

export function Applications() {
  const at = useAt();
  const [{ cursor }] = useFilters();
  const query = { limit: 50, ...(cursor && { cursor }) };
  const client = useClient();
  const applications = useApi().useQuery('get', '/console/v1/applications', { params: { query } });
  const add = useCan('applications:write') ? (
    <Button component={Link} to={at('/applications/new')}>
      Add application
    </Button>
  ) : null;
  return (
    <Page
      title="Applications"
      about="Applications that people sign in to, and back ends that call the admin API."
      actions={add}
    >
      <List
        query={applications}
        readPage={(page) => client.GET('/console/v1/applications', { params: { query: page } })}
        label="Applications"
        keyOf={({ id }) => id}
        href={({ id }) => at(`/applications/${id}`)}
        empty={
          <Empty title="No applications yet" action={add}>
            Add one for each website, mobile app or device that people sign in to. You get a client id and sample code.
          </Empty>
        }
        columns={[
          { name: 'Name', value: ({ name }) => name, cell: ({ name }) => name },
          { name: 'Kind', value: ({ kind }) => kindOf(kind).name, cell: ({ kind }) => kindOf(kind).name },
          {
            name: 'Client id',
            value: ({ clientId }) => clientId,
            wide: true,
            cell: ({ clientId }) => (
              <span data-above>
                <Copy value={clientId} />
              </span>
            ),
          },
          {
            name: 'State',
            value: ({ enabled }) => (enabled ? 'Enabled' : 'Disabled'),
            wide: true,
            cell: ({ enabled }) => (enabled ? <Badge tone="good">Enabled</Badge> : <Badge tone="bad">Disabled</Badge>),
          },
          {
            name: 'Changed',
            value: ({ updatedAt }) => updatedAt,
            wide: true,
            align: 'right',
            cell: ({ updatedAt }) => <Time at={updatedAt} />,
          },
        ]}
      />
    </Page>
  );
}
