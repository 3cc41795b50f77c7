import { Drawer, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AuditEvent, LoggedEvent, Names } from '#api/records.ts';
import { CodeBlock, Copy } from '#ui/copy.tsx';
import { FilterBar } from '#ui/filters.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { kept, stringifySearch, useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { type Column, Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { actorOf, subjectOf } from './names.ts';

type Entry = AuditEvent | LoggedEvent;
type Log<E> = { items: E[]; nextCursor: string | null; names: Names };

type LogProps<E> = {
  title: string;
  about: string;
  actions?: ReactNode;
  filters: ReactNode;
  log: {
    data: Log<E> | undefined;
    error: unknown;
    isPending: boolean;
    isPlaceholderData: boolean;
    refetch: () => unknown;
  };
  columns: (names: Names) => readonly Column<E>[];
  /** Facts that only this log has. */
  facts: (entry: E) => readonly (readonly [name: string, value: ReactNode])[];
};

/** The filters from the URL, for the query. */
export function useLogFilters(names: readonly string[]): Record<string, string> {
  const [filters] = useFilters();
  return Object.fromEntries(
    [...names, 'cursor'].flatMap((name) => {
      const value = filters[name];
      return value ? [[name, value]] : [];
    }),
  );
}

/** A log, newest first, with filters and a detail panel for the selected entry. */
export function LogScreen<E extends Entry>({ title, about, actions, filters, log, columns, facts }: LogProps<E>) {
  const [address, setFilters] = useFilters();
  const href = ({ id }: E) => `.${stringifySearch(kept({ ...address, event: id }))}`;
  const close = () => setFilters({ event: undefined, cursor: address['cursor'] }, { replace: true });
  return (
    <Page title={title} about={about} actions={actions}>
      <Card flush>
        <FilterBar>{filters}</FilterBar>
        <Loaded query={log}>
          {({ items, nextCursor, names }) => {
            const open = items.find(({ id }) => id === address['event']);
            return (
              <>
                <Table
                  label={title}
                  rows={items}
                  keyOf={({ id }) => id}
                  href={href}
                  empty={<Empty title="No matching entries" />}
                  columns={columns(names)}
                />
                <Pager nextCursor={nextCursor} />
                <EntryDrawer entry={open} names={names} facts={open ? facts(open) : []} onClose={close} />
              </>
            );
          }}
        </Loaded>
      </Card>
    </Page>
  );
}

type DrawerProps = {
  entry: Entry | undefined;
  names: Names;
  facts: readonly (readonly [name: string, value: ReactNode])[];
  onClose: () => void;
};

function EntryDrawer({ entry, names, facts, onClose }: DrawerProps) {
  return (
    <Drawer
      opened={entry !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={<Text fw={600}>{entry && ('type' in entry ? entry.type : entry.action)}</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {entry && (
        <>
          <Facts
            facts={[
              ['Who', <Who key="who" entry={entry} names={names} />],
              ['What', <What key="what" entry={entry} names={names} />],
              ['When', <Time key="when" at={entry.occurredAt} />],
              ['Id', <Copy key="id" value={entry.id} />],
              ['Correlation id', entry.correlationId ? <Copy key="correlation" value={entry.correlationId} /> : '–'],
              ...facts,
            ]}
          />
          <Text size="sm" fw={600} mt="lg" mb="xs">
            Data
          </Text>
          <CodeBlock code={JSON.stringify(entry.data, null, 2)} name="the data" />
        </>
      )}
    </Drawer>
  );
}

type NamedEntry = { entry: Entry; names: Names };

function Who({ entry, names }: NamedEntry) {
  const { name, id } = actorOf(entry, names);
  return <NameAndId name={name} id={id} />;
}

function What({ entry, names }: NamedEntry) {
  if (entry.resources.length === 0) return subjectOf(entry, names).name;
  return (
    <Stack gap={6}>
      {entry.resources.map((id) => (
        <NameAndId key={id} name={names[id] === null ? 'Erased' : (names[id] ?? id)} id={id} />
      ))}
    </Stack>
  );
}

function NameAndId({ name, id }: { name: string; id: string | null }) {
  return (
    <div>
      {name !== id && <div>{name}</div>}
      {id !== null && <Copy value={id} />}
    </div>
  );
}
