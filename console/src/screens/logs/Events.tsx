import { Drawer, Text } from '@mantine/core';
import type { LoggedEvent } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { choicesOf, useEventTypes } from '#screens/webhooks/eventTypes.ts';
import { CodeBlock, Copy } from '#ui/copy.tsx';
import { ChoiceFilter, FilterBar, MomentFilter } from '#ui/filters.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { kept, stringifySearch, useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { nameOfActor } from './actors.ts';

const NAMES = ['type', 'since', 'until', 'cursor'] as const;

export function Events() {
  const [filters, setFilters] = useFilters();
  const { event } = filters;
  const given = Object.fromEntries(NAMES.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])));
  const { types: known } = useEventTypes();
  const query = { limit: 50, ...given };
  const events = useApi().useQuery(
    'get',
    '/console/v1/event-log',
    { params: { query } },
    { placeholderData: (before) => before },
  );
  const href = ({ id }: LoggedEvent) => `.${stringifySearch(kept({ ...filters, event: id }))}`;
  return (
    <Page title="Event log" about="Everything that happened here, newest first.">
      <Card flush>
        <FilterBar>
          <ChoiceFilter name="type" label="Type" width={240} choices={choicesOf(known.map(({ type }) => type))} />
          <MomentFilter name="since" label="From" />
          <MomentFilter name="until" label="Until" />
        </FilterBar>
        <Loaded query={events}>
          {({ items, nextCursor }) => (
            <>
              <Table
                label="Events"
                rows={items}
                keyOf={({ id }) => id}
                href={href}
                empty={<Empty title="Nothing fits" />}
                columns={[
                  { name: 'Event', cell: ({ type }) => <code>{type}</code> },
                  { name: 'About', wide: true, cell: ({ data }) => subjectOf(data) },
                  { name: 'By', wide: true, cell: ({ actor }) => actor?.kind ?? 'Erased' },
                  { name: 'Sequence', wide: true, align: 'right', cell: ({ sequence }) => sequence ?? '–' },
                  { name: 'When', align: 'right', cell: ({ occurredAt }) => <Time at={occurredAt} /> },
                ]}
              />
              <Pager nextCursor={nextCursor} />
              <EventDrawer
                event={items.find(({ id }) => id === event)}
                onClose={() => setFilters({ event: undefined, cursor: filters['cursor'] }, { replace: true })}
              />
            </>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}

function EventDrawer({ event, onClose }: { event: LoggedEvent | undefined; onClose: () => void }) {
  return (
    <Drawer
      opened={event !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={<Text fw={600}>{event?.type}</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {event && (
        <>
          <Facts
            facts={[
              ['Id', <Copy key="id" value={event.id} />],
              ['When', <Time key="when" at={event.occurredAt} />],
              ['By', nameOfActor(event.actor)],
              ['Correlation', event.correlationId ? <Copy key="correlation" value={event.correlationId} /> : '–'],
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

/** Whom or what an event is about, as far as its data say. */
function subjectOf(data: Record<string, unknown> | null): string {
  if (!data) return 'Erased';
  for (const value of [data, ...Object.values(data)]) {
    const named = nameIn(value);
    if (named) return named;
  }
  return '–';
}

function nameIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const names = ['email', 'name', 'displayName', 'url', 'key', 'userId', 'id'].map((name) => Reflect.get(value, name));
  return names.find((name) => typeof name === 'string') ?? null;
}
