import { Button, Menu } from '@mantine/core';
import { useApi, useCan, useClient } from '#api/scope.tsx';
import { Copy } from '#ui/copy.tsx';
import { useSaveFile } from '#ui/files.ts';
import { MomentFilter, TextFilter } from '#ui/filters.tsx';
import { Below } from '#ui/table.tsx';
import { ClockTime } from '#ui/time.tsx';
import { EventName } from './EventName.tsx';
import { LogScreen, useLogFilters } from './LogScreen.tsx';
import { NameInRow } from './NameInRow.tsx';
import { actorOf, subjectOf } from './names.ts';

export function Audit() {
  const mayExport = useCan('audit:read');
  const given = useLogFilters(['actor', 'action', 'resource', 'since', 'until']);
  const client = useClient();
  const { cursor: _cursor, ...filters } = given;
  const log = useApi().useQuery(
    'get',
    '/console/v1/audit-log',
    { params: { query: { limit: 50, ...given } } },
    { placeholderData: (before) => before },
  );
  return (
    <LogScreen
      title="Audit log"
      about="Who changed what, in a hash chain that reveals removed or altered entries."
      actions={mayExport && <Export since={given['since']} until={given['until']} />}
      log={log}
      readPage={(page) => client.GET('/console/v1/audit-log', { params: { query: { ...filters, ...page } } })}
      filters={
        <>
          <TextFilter name="actor" label="Actor id" width={160} />
          <TextFilter name="action" label="Action" width={160} />
          <TextFilter name="resource" label="Resource id" width={160} />
          <MomentFilter name="since" label="From" />
          <MomentFilter name="until" label="Until" />
        </>
      }
      columns={(names, members) => [
        {
          name: 'Action',
          value: ({ action }) => action,
          cell: (event) => (
            <>
              <EventName name={event.action} />
              <Below>{actorOf(event, names).name}</Below>
            </>
          ),
        },
        {
          name: 'Actor',
          wide: true,
          short: true,
          value: (event) => actorOf(event, names).name,
          cell: (event) => <NameInRow of={actorOf(event, names)} members={members} />,
        },
        {
          name: 'Resource',
          wide: true,
          value: (event) => subjectOf(event, names).name,
          cell: (event) => <NameInRow of={subjectOf(event, names)} members={members} />,
        },
        { name: 'Id', extra: true, wide: true, value: ({ id }) => id, cell: ({ id }) => <code>{id}</code> },
        {
          name: 'Time',
          align: 'right',
          value: ({ occurredAt }) => occurredAt,
          cell: ({ occurredAt }) => <ClockTime at={occurredAt} />,
        },
      ]}
      facts={({ hash }) => [['Chain hash', <Copy key="hash" value={hash} />]]}
    />
  );
}

/** Exports a range of the chain. Only the period filters apply, because a file with gaps could not be verified. */
function Export({ since, until }: { since: string | undefined; until: string | undefined }) {
  const saveFile = useSaveFile();
  const save = (format: 'csv' | 'json') => saveFile({ path: '/audit-events/export', query: { since, until, format } });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default">Export</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{since || until ? 'Filtered period' : 'Entire log'}</Menu.Label>
        <Menu.Item onClick={() => save('csv')}>CSV</Menu.Item>
        <Menu.Item onClick={() => save('json')}>JSON (verifiable)</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
