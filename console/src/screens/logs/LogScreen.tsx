import { Drawer, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AuditEvent, LoggedEvent, Memberships, Names } from '#api/records.ts';
import { CodeBlock, Copy } from '#ui/copy.tsx';
import { List, type ReadPage } from '#ui/list.tsx';
import { dayHeading } from '#ui/moments.ts';
import { Facts, Page } from '#ui/page.tsx';
import { kept, linkTo, stringifySearch, useFilters } from '#ui/search.ts';
import { Empty } from '#ui/states.tsx';
import type { Column } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { NameLink } from './NameLink.tsx';
import { actorOf, type Named, named, screenOf, subjectOf } from './names.ts';

type Entry = AuditEvent | LoggedEvent;
type Log<E> = { items: E[]; nextCursor: string | null; names: Names; members: Memberships };

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
  columns: (names: Names, members: Memberships) => readonly Column<E>[];
  /** Facts that only this log has. */
  facts: (entry: E) => readonly (readonly [name: string, value: ReactNode])[];
  readPage: ReadPage<Log<E>>;
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
export function LogScreen<E extends Entry>({
  title,
  about,
  actions,
  filters,
  log,
  columns,
  facts,
  readPage,
}: LogProps<E>) {
  const [address, setFilters] = useFilters();
  const href = ({ id }: E) => `.${stringifySearch(kept({ ...address, event: id }))}`;
  const close = () => setFilters({ event: undefined, cursor: address['cursor'] }, { replace: true });
  return (
    <Page title={title} about={about} actions={actions}>
      <List
        label={title}
        query={log}
        filters={filters}
        keyOf={({ id }) => id}
        href={href}
        groupOf={({ occurredAt }) => dayHeading(occurredAt)}
        empty={<Empty title="No matching entries" />}
        columns={({ names, members }) => columns(names, members)}
        readPage={readPage}
      >
        {({ items, names, members }) => {
          const open = items.find(({ id }) => id === address['event']);
          return (
            <EntryDrawer entry={open} names={names} members={members} facts={open ? facts(open) : []} onClose={close} />
          );
        }}
      </List>
    </Page>
  );
}

type DrawerProps = {
  entry: Entry | undefined;
  names: Names;
  members: Memberships;
  facts: readonly (readonly [name: string, value: ReactNode])[];
  onClose: () => void;
};

function EntryDrawer({ entry, names, members, facts, onClose }: DrawerProps) {
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
              ['Who', <Who key="who" entry={entry} names={names} members={members} />],
              ['What', <What key="what" entry={entry} names={names} members={members} />],
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

type NamedEntry = { entry: Entry; names: Names; members: Memberships };

function Who({ entry, names, members }: NamedEntry) {
  const actor = actorOf(entry, names);
  return (
    <Stack gap={2}>
      <NameAndId of={actor} members={members} />
      {actor.id !== null && <Link {...linkTo(`.?actor=${actor.id}`)}>Everything by this actor</Link>}
    </Stack>
  );
}

function What({ entry, names, members }: NamedEntry) {
  if (entry.resources.length === 0) return subjectOf(entry, names).name;
  return (
    <Stack gap={6}>
      {entry.resources.map((id) => (
        <NameAndId key={id} of={named(id, names)} members={members} />
      ))}
    </Stack>
  );
}

function NameAndId({ of, members }: { of: Named; members: Memberships }) {
  return (
    <div>
      {(of.name !== of.id || screenOf(of, members) !== null) && (
        <div>
          <NameLink of={of} members={members} />
        </div>
      )}
      {of.id !== null && <Copy value={of.id} />}
    </div>
  );
}
