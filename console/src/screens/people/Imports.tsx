import type { MemberImport } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Badge, StateBadge } from '#ui/badge.tsx';
import { exactTime } from '#ui/moments.ts';
import { Card, Columns, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { type Column, Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { ImportFile } from './ImportFile.tsx';
import { ImportFormatHelp } from './ImportFormatHelp.tsx';

const count = (number: number) => number.toLocaleString('en');

const columns: readonly Column<MemberImport>[] = [
  { name: 'Started', cell: ({ createdAt }) => exactTime(createdAt) },
  {
    name: 'State',
    cell: ({ status, dryRun }) => (
      <>
        <StateBadge state={status} /> {dryRun && <Badge>Dry run</Badge>}
      </>
    ),
  },
  { name: 'Rows', wide: true, align: 'right', cell: ({ rows }) => count(rows) },
  { name: 'Created', wide: true, align: 'right', cell: ({ created }) => count(created) },
  { name: 'Joined', wide: true, align: 'right', cell: ({ joined }) => count(joined) },
  { name: 'Unchanged', wide: true, align: 'right', cell: ({ unchanged }) => count(unchanged) },
  { name: 'Failed', align: 'right', cell: ({ failed }) => count(failed) },
  { name: 'Finished', wide: true, align: 'right', cell: ({ finishedAt }) => <Time at={finishedAt} /> },
];

/** How often unfinished imports are polled, in milliseconds. */
const POLL_MS = 2_000;

export function Imports() {
  const at = useAt();
  const [{ cursor }] = useFilters();
  const query = { limit: 20, ...(cursor && { cursor }) };
  const imports = useApi().useQuery(
    'get',
    '/console/v1/members/import',
    { params: { query } },
    {
      refetchInterval: ({ state }) =>
        state.data?.items.some(({ status }) => status !== 'completed') ? POLL_MS : false,
    },
  );
  return (
    <Page
      title="Import members"
      about="Import people with their password hashes from another system. No mails are sent, and existing accounts don’t change."
      back={{ to: at('/members'), label: 'Members' }}
    >
      <Loaded query={imports}>
        {({ items, nextCursor }) => (
          <>
            <Columns>
              <ImportFile />
              <ImportFormatHelp />
            </Columns>
            <Card flush title="Imports" about="The last thirty days. An import continues when you close this page.">
              <Table
                label="Imports"
                rows={items}
                columns={columns}
                keyOf={({ id }) => id}
                href={({ id }) => at(`/members/import/${id}`)}
                empty={
                  <Empty title="No imports yet">
                    Copy the example row into a file and start a dry run to see the result here.
                  </Empty>
                }
              />
              <Pager nextCursor={nextCursor} />
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  );
}
