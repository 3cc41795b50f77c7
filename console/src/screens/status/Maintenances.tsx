import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { StateBadge } from '#ui/badge.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { NewMaintenance } from './NewMaintenance.tsx';
import { onStatusPage } from './onStatusPage.tsx';
import { StatusTabs } from './StatusTabs.tsx';

export const Maintenances = onStatusPage(function Maintenances() {
  const at = useAt();
  const [open, { open: show, close }] = useDisclosure(false);
  const [{ cursor }] = useFilters();
  const query = { limit: 20, ...(cursor && { cursor }) };
  const maintenances = useApi().useQuery('get', '/console/v1/status/maintenances', { params: { query } });
  const plan = useCan('status:write') ? <Button onClick={show}>Plan maintenance</Button> : null;
  return (
    <Page title="Status" about="Planned work, announced in advance." actions={plan}>
      <StatusTabs />
      <Card flush>
        <Loaded query={maintenances}>
          {({ items, nextCursor }) => (
            <>
              <Table
                label="Maintenance"
                rows={items}
                keyOf={({ id }) => id}
                href={({ id }) => at(`/status/maintenance/${id}`)}
                empty={
                  <Empty title="No maintenance planned" action={plan}>
                    Maintenance starts and ends automatically, and subscribers are reminded. Planned downtime doesn’t
                    degrade the status.
                  </Empty>
                }
                columns={[
                  { name: 'Title', cell: ({ title }) => title },
                  { name: 'Phase', cell: ({ phase }) => <StateBadge state={phase} /> },
                  { name: 'Starts', wide: true, cell: ({ beginsAt }) => <Time at={beginsAt} /> },
                  { name: 'Ends', wide: true, align: 'right', cell: ({ endsAt }) => <Time at={endsAt} /> },
                ]}
              />
              <Pager nextCursor={nextCursor} />
            </>
          )}
        </Loaded>
      </Card>
      {open && <NewMaintenance onClose={close} />}
    </Page>
  );
});
