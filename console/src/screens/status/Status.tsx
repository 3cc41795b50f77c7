import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Badge, StateBadge, sentence } from '#ui/badge.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { NewIncident } from './NewIncident.tsx';
import { NewMaintenance } from './NewMaintenance.tsx';

export function Status() {
  const [incident, incidentControl] = useDisclosure(false);
  const [maintenance, maintenanceControl] = useDisclosure(false);
  const canWrite = useCan('status:write');
  return (
    <Page
      title="Status"
      about="What the status page shows, and what you tell people there."
      actions={
        <>
          <Button component="a" href="/status" target="_blank" variant="default">
            Open the status page
          </Button>
          {canWrite && (
            <>
              <Button variant="default" onClick={maintenanceControl.open}>
                Plan maintenance
              </Button>
              <Button onClick={incidentControl.open}>Report an incident</Button>
            </>
          )}
        </>
      }
    >
      <Incidents />
      <Components />
      <Maintenances />
      <Subscribers />
      {incident && <NewIncident onClose={incidentControl.close} />}
      {maintenance && <NewMaintenance onClose={maintenanceControl.close} />}
    </Page>
  );
}

function Incidents() {
  const at = useAt();
  const [{ cursor }] = useFilters();
  const query = { limit: 20, ...(cursor && { cursor }) };
  const incidents = useApi().useQuery('get', '/console/v1/status/incidents', { params: { query } });
  return (
    <Card flush title="Incidents">
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
                  Latchkey opens one by itself when its own measurements break; you can report one, too.
                </Empty>
              }
              columns={[
                { name: 'Incident', cell: ({ title }) => title },
                {
                  name: 'Phase',
                  cell: ({ phase, draft }) => (draft ? <Badge>Draft</Badge> : <StateBadge state={phase} />),
                },
                { name: 'Severity', wide: true, cell: ({ severity }) => <StateBadge state={severity} /> },
                { name: 'Began', align: 'right', cell: ({ startedAt }) => <Time at={startedAt} /> },
              ]}
            />
            <Pager nextCursor={nextCursor} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Components() {
  const components = useApi().useQuery('get', '/console/v1/status/components', { params: { query: { limit: 100 } } });
  return (
    <Card flush title="Components">
      <Loaded query={components}>
        {({ items }) => (
          <Table
            label="Components"
            rows={items}
            keyOf={({ id }) => id}
            empty="No components"
            columns={[
              { name: 'Component', cell: ({ name }) => name },
              { name: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
              { name: 'Since', wide: true, cell: ({ statusSince }) => <Time at={statusSince} /> },
              { name: 'Shown', wide: true, cell: ({ shown }) => sentence(shown) },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}

function Maintenances() {
  const maintenances = useApi().useQuery('get', '/console/v1/status/maintenances', {
    params: { query: { limit: 20 } },
  });
  return (
    <Card flush title="Maintenance">
      <Loaded query={maintenances}>
        {({ items }) => (
          <Table
            label="Maintenance"
            rows={items}
            keyOf={({ id }) => id}
            empty="Nothing planned"
            columns={[
              { name: 'Title', cell: ({ title }) => title },
              { name: 'Phase', cell: ({ phase }) => <StateBadge state={phase} /> },
              { name: 'Begins', cell: ({ beginsAt }) => <Time at={beginsAt} /> },
              { name: 'Ends', wide: true, cell: ({ endsAt }) => <Time at={endsAt} /> },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}

function Subscribers() {
  const subscribers = useApi().useQuery('get', '/console/v1/status/subscribers', { params: { query: { limit: 50 } } });
  return (
    <Card flush title="Subscribers">
      <Loaded query={subscribers}>
        {({ items }) => (
          <Table
            label="Subscribers"
            rows={items}
            keyOf={({ id }) => id}
            empty={
              <Empty title="Nobody yet">
                People subscribe on the status page and are told of each phase of an incident.
              </Empty>
            }
            columns={[
              { name: 'Address', cell: ({ address }) => address },
              { name: 'By', cell: ({ channel }) => sentence(channel) },
              { name: 'State', wide: true, cell: ({ state }) => <StateBadge state={state} /> },
              { name: 'Since', align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
