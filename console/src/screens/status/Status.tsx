import { Button } from '@mantine/core';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Badge, StateBadge } from '#ui/badge.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useFilters, useNewDialog } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { NewIncident } from './NewIncident.tsx';
import { onStatusPage } from './onStatusPage.tsx';
import { StatusTabs } from './StatusTabs.tsx';

export const Status = onStatusPage(function Status({ page }) {
  const at = useAt();
  const [open, { open: show, close }] = useNewDialog();
  const [{ cursor }] = useFilters();
  const query = { limit: 20, ...(cursor && { cursor }) };
  const incidents = useApi().useQuery('get', '/console/v1/status/incidents', { params: { query } });
  const report = useCan('status:write') && <Button onClick={show}>Report an incident</Button>;
  return (
    <Page
      title="Status"
      about="Incidents on the status page."
      actions={
        <>
          {page.published && (
            <Button component="a" href={page.url} target="_blank" variant="default">
              Open the status page
            </Button>
          )}
          {report}
        </>
      }
    >
      <StatusTabs />
      <Card flush>
        <Loaded query={incidents}>
          {({ items, nextCursor }) => (
            <>
              <Table
                label="Incidents"
                rows={items}
                keyOf={({ id }) => id}
                href={({ id }) => at(`/status/${id}`)}
                empty={
                  <Empty title="No incidents">
                    Latchkey opens one automatically when its measurements fail; you can also report one.
                  </Empty>
                }
                columns={[
                  { name: 'Incident', cell: ({ title }) => title },
                  {
                    name: 'Phase',
                    cell: ({ phase, draft }) => (draft ? <Badge>Draft</Badge> : <StateBadge state={phase} />),
                  },
                  { name: 'Severity', wide: true, cell: ({ severity }) => <StateBadge state={severity} /> },
                  { name: 'Started', align: 'right', cell: ({ startedAt }) => <Time at={startedAt} /> },
                ]}
              />
              <Pager nextCursor={nextCursor} />
            </>
          )}
        </Loaded>
      </Card>
      {open && <NewIncident onClose={close} />}
    </Page>
  );
});
