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
  { name: 'Begun', cell: ({ createdAt }) => exactTime(createdAt) },
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

/** How often unfinished imports are looked at again, in milliseconds. */
const LOOK_MS = 2_000;

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
        state.data?.items.some(({ status }) => status !== 'completed') ? LOOK_MS : false,
    },
  );
  return (
    <Page
      title="Import members"
      about="Bring people along from another system, with their passwords. Nobody gets a mail, and accounts that exist stay as they are."
      back={{ to: at('/members'), label: 'Members' }}
    >
      <Loaded query={imports}>
        {({ items, nextCursor }) => (
          <>
            <Columns>
              <ImportFile />
              <ImportFormatHelp />
            </Columns>
            <Card flush title="Imports" about="Of the last thirty days. An import goes on when this page is closed.">
              <Table
                label="Imports"
                rows={items}
                columns={columns}
                keyOf={({ id }) => id}
                href={({ id }) => at(`/members/import/${id}`)}
                empty={
                  <Empty title="No imports yet">
                    Copy the example row into a file, try it as a dry run, and see here what would become of it.
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
