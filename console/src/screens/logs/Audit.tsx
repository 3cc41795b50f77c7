import { Button, Drawer, Menu, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { clientFor } from '#api/client.ts';
import type { AuditEvent } from '#api/records.ts';
import { useApi, useScope } from '#api/scope.tsx';
import { CodeBlock, Copy } from '#ui/copy.tsx';
import { FilterBar, MomentFilter, TextFilter } from '#ui/filters.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { kept, stringifySearch, useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { nameOfActor } from './actors.ts';

const NAMES = ['actor', 'action', 'resource', 'since', 'until', 'cursor'] as const;

export function Audit() {
  const [filters, setFilters] = useFilters();
  const given = Object.fromEntries(NAMES.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])));
  const audit = useApi().useQuery(
    'get',
    '/console/v1/audit-events',
    { params: { query: { limit: 50, ...given } } },
    { placeholderData: (before) => before },
  );
  const href = ({ id }: AuditEvent) => `.${stringifySearch(kept({ ...filters, event: id }))}`;
  return (
    <Page
      title="Audit log"
      about="Who changed what, in a chain of hashes that shows if a line was taken out or altered."
      actions={<Export filters={given} />}
    >
      <Card flush>
        <FilterBar>
          <TextFilter name="actor" label="Who (id)" width={180} />
          <TextFilter name="action" label="Action" width={180} />
          <TextFilter name="resource" label="What (id)" width={180} />
          <MomentFilter name="since" label="From" />
          <MomentFilter name="until" label="Until" />
        </FilterBar>
        <Loaded query={audit}>
          {({ items, nextCursor }) => (
            <>
              <Table
                label="Audit log"
                rows={items}
                keyOf={({ id }) => id}
                href={href}
                empty={<Empty title="Nothing fits" />}
                columns={[
                  { name: 'Action', cell: ({ action }) => <code>{action}</code> },
                  { name: 'Who', cell: ({ actor }) => nameOfActor(actor) },
                  {
                    name: 'What',
                    wide: true,
                    cell: ({ resources: [first = '–', ...others] }) =>
                      others.length > 0 ? `${first} +${others.length}` : first,
                  },
                  { name: 'When', align: 'right', cell: ({ occurredAt }) => <Time at={occurredAt} /> },
                ]}
              />
              <Pager nextCursor={nextCursor} />
              <AuditDrawer
                event={items.find(({ id }) => id === filters['event'])}
                onClose={() => setFilters({ event: undefined, cursor: filters['cursor'] }, { replace: true })}
              />
            </>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}

function AuditDrawer({ event, onClose }: { event: AuditEvent | undefined; onClose: () => void }) {
  return (
    <Drawer
      opened={event !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={<Text fw={600}>{event?.action}</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {event && (
        <>
          <Facts
            facts={[
              ['Who', nameOfActor(event.actor)],
              ['What', event.resources.length === 0 ? '–' : event.resources.map((id) => <Copy key={id} value={id} />)],
              ['When', <Time key="when" at={event.occurredAt} />],
              ['Correlation', event.correlationId ? <Copy key="correlation" value={event.correlationId} /> : '–'],
              ['Hash of the chain', <Copy key="hash" value={event.hash} />],
            ]}
          />
          <Text size="sm" fw={600} mt="lg" mb="xs">
            Data
          </Text>
          <CodeBlock code={JSON.stringify(event.data, null, 2)} name="the data" />
        </>
      )}
    </Drawer>
  );
}

/** Everything that fits the filters, as a file. */
function Export({ filters }: { filters: Record<string, string | undefined> }) {
  const scope = useScope();
  const save = async (format: 'csv' | 'json') => {
    const { cursor, ...query } = filters;
    const answer = await clientFor(scope).GET('/console/v1/audit-events/export', {
      params: { query: { ...query, format } },
      parseAs: 'blob',
    });
    if (!answer.data) {
      notifications.show({ message: 'The export failed', color: 'red' });
      return;
    }
    const link = document.createElement('a');
    link.href = URL.createObjectURL(answer.data);
    link.download = `audit.${format}`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default">Export</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => save('csv')}>CSV</Menu.Item>
        <Menu.Item onClick={() => save('json')}>JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
