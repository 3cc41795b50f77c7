import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { StateBadge } from '#ui/badge.tsx';
import { Card, Page } from '#ui/page.tsx';
import { Empty, Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { NewDomain } from './NewDomain.tsx';

export function Domains() {
  const at = useAt();
  const [open, { open: show, close }] = useDisclosure(false);
  const api = useApi();
  const domains = api.useQuery('get', '/console/v1/domains', { params: { query: { limit: 100 } } });
  const create = api.useMutation('post', '/console/v1/domains');
  const add = useCan('domains:write') ? <Button onClick={show}>Add domain</Button> : null;
  return (
    <Page title="Domains" about="Serve sign-in and the API at your own domains." actions={add}>
      <Card flush>
        <Loaded query={domains}>
          {({ items }) => (
            <Table
              label="Domains"
              rows={items}
              keyOf={({ id }) => id}
              href={({ id }) => at(`/domains/${id}`)}
              empty={
                <Empty title="No domains yet" action={add}>
                  People trust a page at login.your-company.com. Verify your domain with a DNS record, then bind it to
                  this project.
                </Empty>
              }
              columns={[
                { name: 'Domain', cell: ({ host }) => host },
                { name: 'State', cell: ({ status }) => <StateBadge state={status} /> },
                {
                  name: 'For',
                  wide: true,
                  cell: ({ organizationId }) => (organizationId === null ? 'The project' : 'An organization'),
                },
                { name: 'Checked', wide: true, cell: ({ checkedAt }) => <Time at={checkedAt} none="Not yet" /> },
                { name: 'Added', wide: true, align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
            />
          )}
        </Loaded>
      </Card>
      {open && <NewDomain mutation={create} initOf={(host) => ({ body: { host } })} onClose={close} />}
    </Page>
  );
}
