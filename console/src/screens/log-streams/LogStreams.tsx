import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { LogStream } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { TeamTabs } from '#screens/workspace/TeamTabs.tsx';
import { Badge } from '#ui/badge.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Below, Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { KINDS } from './kinds.ts';
import { NewLogStream } from './NewLogStream.tsx';
import { useCanWriteStreams, useIsTeam, useStreamPaths, useStreamsAt } from './where.ts';

export function LogStreams() {
  const at = useStreamsAt();
  const isTeam = useIsTeam();
  const [open, { open: show, close }] = useDisclosure(false);
  const [{ cursor }] = useFilters();
  const query = { limit: 50, ...(cursor && { cursor }) };
  const streams = useApi().useQuery('get', useStreamPaths().list, { params: { query } });
  const add = useCanWriteStreams() ? <Button onClick={show}>Add log stream</Button> : null;
  return (
    <Page
      title={isTeam ? 'Team' : 'Log streams'}
      about={
        isTeam
          ? 'Every entry of this workspace’s own log, sent to your SIEM or log store in order: changes of the team, invitations, deletions.'
          : 'Every entry of the audit log, sent to your SIEM or log store in order.'
      }
      actions={add}
    >
      {isTeam && <TeamTabs />}
      <Card flush>
        <Loaded query={streams}>
          {({ items, nextCursor }) => (
            <>
              <Table
                label="Log streams"
                rows={items}
                keyOf={({ id }) => id}
                href={({ id }) => at(`/log-streams/${id}`)}
                empty={
                  <Empty title="No log streams yet" action={add}>
                    A log stream sends {isTeam ? 'the log of the workspace' : 'the audit log'} to Splunk, Datadog,
                    Elastic, OpenTelemetry or a syslog receiver.
                  </Empty>
                }
                columns={[
                  {
                    name: 'Name',
                    cell: ({ name, url }) => (
                      <>
                        {name}
                        <Below>{url}</Below>
                      </>
                    ),
                  },
                  { name: 'Address', wide: true, cell: ({ url }) => url },
                  { name: 'Kind', wide: true, cell: ({ kind }) => KINDS[kind].label },
                  { name: 'State', cell: (stream) => <StreamState stream={stream} /> },
                  {
                    name: 'Waiting',
                    align: 'right',
                    cell: ({ delivery }) => delivery.waiting.toLocaleString('en'),
                  },
                  {
                    name: 'Last sent',
                    wide: true,
                    align: 'right',
                    cell: ({ delivery }) => <Time at={delivery.sentAt} none="Never" />,
                  },
                ]}
              />
              <Pager nextCursor={nextCursor} />
            </>
          )}
        </Loaded>
      </Card>
      {open && <NewLogStream onClose={close} />}
    </Page>
  );
}

export function StreamState({ stream: { state, delivery } }: { stream: LogStream }) {
  if (state === 'paused') return <Badge tone="quiet">Paused</Badge>;
  return delivery.failingSince ? <Badge tone="bad">Failing</Badge> : <Badge tone="good">Active</Badge>;
}
