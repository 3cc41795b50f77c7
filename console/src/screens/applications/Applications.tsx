import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Badge } from '#ui/badge.tsx';
import { Copy } from '#ui/copy.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { kindOf } from './kinds.ts';

export function Applications() {
  const at = useAt();
  const [{ cursor }] = useFilters();
  const query = { limit: 50, ...(cursor && { cursor }) };
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
      <Card flush>
        <Loaded query={applications}>
          {({ items, nextCursor }) => (
            <>
              <Table
                label="Applications"
                rows={items}
                keyOf={({ id }) => id}
                href={({ id }) => at(`/applications/${id}`)}
                empty={
                  <Empty title="No applications yet" action={add}>
                    Add one for each website, mobile app or device that people sign in to. You get a client id and
                    sample code.
                  </Empty>
                }
                columns={[
                  { name: 'Name', cell: ({ name }) => name },
                  { name: 'Kind', cell: ({ kind }) => kindOf(kind).name },
                  {
                    name: 'Client id',
                    wide: true,
                    cell: ({ clientId }) => (
                      <span data-above>
                        <Copy value={clientId} />
                      </span>
                    ),
                  },
                  {
                    name: 'State',
                    wide: true,
                    cell: ({ enabled }) =>
                      enabled ? <Badge tone="good">Enabled</Badge> : <Badge tone="bad">Disabled</Badge>,
                  },
                  { name: 'Changed', wide: true, align: 'right', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
                ]}
              />
              <Pager nextCursor={nextCursor} />
            </>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}
