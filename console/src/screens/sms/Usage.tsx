import { useApi } from '#api/scope.tsx';
import { sentence } from '#ui/badge.tsx';
import { Card } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { money } from './money.ts';
import { UsageChart } from './UsageChart.tsx';

/** The ledger of segments and charges. @param periodId limits it to one period */
export function Usage({ periodId }: { periodId?: string }) {
  const [{ cursor }] = useFilters();
  const query = { limit: 100, ...(cursor && { cursor }), ...(periodId && { periodId }) };
  const usage = useApi().useQuery('get', '/console/v1/billing/addons/sms/usage', { params: { query } });
  return (
    <Card flush title="Usage">
      <Loaded query={usage}>
        {({ items, nextCursor }) => (
          <>
            {items.length > 0 && <UsageChart entries={items} />}
            <Table
              label="Ledger"
              rows={items}
              keyOf={({ id }) => id}
              empty={<Empty title="No usage yet" />}
              columns={[
                { name: 'Entry', cell: ({ kind }) => sentence(kind) },
                { name: 'Country', cell: ({ country }) => country ?? '–' },
                { name: 'Reference', wide: true, cell: ({ reference }) => <code>{reference}</code> },
                { name: 'Amount', align: 'right', cell: ({ amount, currency }) => money(amount, currency) },
                { name: 'Time', align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
            />
            <Pager nextCursor={nextCursor} />
          </>
        )}
      </Loaded>
    </Card>
  );
}
