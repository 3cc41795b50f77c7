import { useApi } from '#api/scope.tsx';
import { StateBadge } from '#ui/badge.tsx';
import { Card } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { Below, Table } from '#ui/table.tsx';
import { LogTime } from '#ui/time.tsx';
import { useStreamPaths } from './where.ts';

/** How often a log stream and its faults are reloaded, in milliseconds. */
export const LOOK_AGAIN_MS = 5000;

/** The last faults of a log stream. */
export function StreamFaults({ logStreamId }: { logStreamId: string }) {
  const faults = useApi().useQuery(
    'get',
    useStreamPaths().faults,
    { params: { path: { logStreamId }, query: { limit: 20 } } },
    { refetchInterval: LOOK_AGAIN_MS },
  );
  return (
    <Card flush title="Last faults">
      <Loaded query={faults}>
        {({ items }) => (
          <Table
            label="Last faults"
            rows={items}
            keyOf={({ id }) => id}
            empty="No faults"
            columns={[
              {
                name: 'Fault',
                cell: ({ error, responseSnippet }) => (
                  <>
                    {error}
                    {responseSnippet && <Below>{responseSnippet}</Below>}
                  </>
                ),
              },
              { name: 'Response', wide: true, cell: ({ responseSnippet }) => responseSnippet || '–' },
              { name: 'Entries', cell: ({ outcome }) => <StateBadge state={outcome} /> },
              {
                name: 'Sequence',
                wide: true,
                align: 'right',
                cell: ({ firstSequence: first, lastSequence: last }) => (first === last ? first : `${first}–${last}`),
              },
              { name: 'When', align: 'right', cell: ({ occurredAt }) => <LogTime at={occurredAt} /> },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
