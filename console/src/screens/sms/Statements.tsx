import type { SmsStatement } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { StateBadge } from '#ui/badge.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { type Column, Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { money } from './money.ts';
import { SmsTabs } from './SmsTabs.tsx';
import { periodOf, stateOf } from './statements.ts';

const columns: readonly Column<SmsStatement>[] = [
  { name: 'Period', cell: periodOf },
  { name: 'State', cell: (statement) => <StateBadge state={stateOf(statement, Date.now())} /> },
  { name: 'Segments', wide: true, align: 'right', cell: ({ segments }) => segments.toLocaleString('en') },
  { name: 'Fees', wide: true, align: 'right', cell: ({ fees, currency }) => money(fees, currency) },
  { name: 'Overage', wide: true, align: 'right', cell: ({ overage, currency }) => money(overage, currency) },
  { name: 'Due', wide: true, align: 'right', cell: ({ dueAt }) => <Time at={dueAt} /> },
  { name: 'Total', align: 'right', cell: ({ total, currency }) => <b>{money(total, currency)}</b> },
];

export function Statements() {
  const at = useAt();
  const [{ cursor }] = useFilters();
  const query = { limit: 24, ...(cursor && { cursor }) };
  const statements = useApi().useQuery('get', '/console/v1/billing/addons/sms/statements', { params: { query } });
  return (
    <Page title="SMS add-on" about="Statements of each period: the fee of the tier, and overage.">
      <SmsTabs />
      <Card flush>
        <Loaded query={statements}>
          {({ items, nextCursor }) => (
            <>
              <Table
                label="Statements"
                rows={items}
                columns={columns}
                keyOf={({ id }) => id}
                href={({ id }) => at(`/sms/statements/${id}`)}
                empty={
                  <Empty title="No statements yet">
                    A statement is created when a period is over and its last message is accounted for. In the test
                    environment nothing is charged.
                  </Empty>
                }
              />
              <Pager nextCursor={nextCursor} />
            </>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}
