import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { StateBadge } from '#ui/badge.tsx';
import { Card } from '#ui/page.tsx';
import { Empty, Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { NewDomain } from '../domains/NewDomain.tsx';

const PATH = '/console/v1/organizations/{organizationId}/custom-domains';

/** The domains at which an organization signs people in. */
export function CustomDomains({ organizationId }: { organizationId: string }) {
  const at = useAt();
  const api = useApi();
  const canWrite = useCan('domains:write');
  const [open, { open: show, close }] = useDisclosure(false);
  const path = { organizationId };
  const domains = api.useQuery('get', PATH, { params: { path, query: { limit: 100 } } });
  const create = api.useMutation('post', PATH);
  return (
    <Card
      flush
      title="Custom domains"
      about="The organization’s own addresses for signing in."
      actions={canWrite && <Button onClick={show}>Add custom domain</Button>}
    >
      <Loaded query={domains}>
        {({ items }) => (
          <Table
            label="Custom domains"
            rows={items}
            keyOf={({ id }) => id}
            href={({ id }) => at(`/domains/${id}`)}
            empty={
              <Empty title="No custom domains yet">
                At a custom domain, people see the organization’s branding and sign in to this organization only.
              </Empty>
            }
            columns={[
              { name: 'Domain', cell: ({ host }) => host },
              { name: 'State', cell: ({ status }) => <StateBadge state={status} /> },
              { name: 'Added', wide: true, align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </Loaded>
      {open && (
        <NewDomain mutation={create} initOf={(host) => ({ params: { path }, body: { host } })} onClose={close} />
      )}
    </Card>
  );
}
