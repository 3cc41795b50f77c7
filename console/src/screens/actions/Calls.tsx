import { useApi } from '#api/scope.tsx';
import { Badge } from '#ui/badge.tsx';
import { Card } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Below, Pager, Table } from '#ui/table.tsx';
import { LogTime } from '#ui/time.tsx';

/** How often the log is reloaded, in milliseconds. */
const LOOK_AGAIN_MS = 5000;

const DECISIONS = {
  allow: { label: 'Allowed', tone: 'good' },
  refuse: { label: 'Refused', tone: 'quiet' },
  failed: { label: 'Failed', tone: 'bad' },
} as const;

function detailOf(dryRun: boolean, error: string | null): string {
  return [dryRun && 'Test', error].filter(Boolean).join(': ');
}

/** The last calls of an action. */
export function Calls({ actionId }: { actionId: string }) {
  const [{ cursor }] = useFilters();
  const calls = useApi().useQuery(
    'get',
    '/console/v1/actions/{actionId}/calls',
    { params: { path: { actionId }, query: { limit: 20, ...(cursor && { cursor }) } } },
    { refetchInterval: LOOK_AGAIN_MS },
  );
  return (
    <Card flush title="Last calls">
      <Loaded query={calls}>
        {({ items, nextCursor }) => (
          <>
            <Table
              label="Last calls"
              rows={items}
              keyOf={({ id }) => id}
              empty="Not called yet"
              columns={[
                {
                  name: 'Decision',
                  cell: ({ decision, dryRun, error }) => (
                    <>
                      <Badge tone={DECISIONS[decision].tone}>{DECISIONS[decision].label}</Badge>
                      {(dryRun || error) && <Below>{detailOf(dryRun, error)}</Below>}
                    </>
                  ),
                },
                { name: 'Detail', wide: true, cell: ({ dryRun, error }) => detailOf(dryRun, error) || '–' },
                { name: 'Status', wide: true, align: 'right', cell: ({ statusCode }) => statusCode ?? '–' },
                { name: 'Duration', align: 'right', cell: ({ durationMs }) => `${durationMs} ms` },
                { name: 'When', align: 'right', cell: ({ occurredAt }) => <LogTime at={occurredAt} /> },
              ]}
            />
            <Pager nextCursor={nextCursor} />
          </>
        )}
      </Loaded>
    </Card>
  );
}
