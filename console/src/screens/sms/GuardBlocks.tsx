import { Button } from '@mantine/core';
import { useApi, useCan } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { Card } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';

/** The currently blocked number prefixes. */
export function GuardBlocks() {
  const [{ cursor }] = useFilters();
  const query = { limit: 50, ...(cursor && { cursor }) };
  const blocks = useApi().useQuery('get', '/console/v1/billing/addons/sms/guard/blocks', { params: { query } });
  const canWrite = useCan('billing:write');
  return (
    <Card flush title="Blocked now" about="Blocks of ten thousand numbers with too few used codes.">
      <Loaded query={blocks}>
        {({ items, nextCursor }) => (
          <>
            <Table
              label="Blocks of numbers"
              rows={items}
              keyOf={({ prefix }) => prefix}
              empty={
                <Empty title="No blocked numbers">
                  Blocked numbers appear here, and the event <code>sms.guard.tripped</code> notifies your back end.
                </Empty>
              }
              columns={[
                { name: 'Numbers', cell: ({ prefix }) => <code>{prefix}••••</code> },
                { name: 'Codes used', cell: ({ used, sent }) => `${used} of ${sent}` },
                { name: 'Since', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
                { name: 'Until', wide: true, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                { name: '', align: 'right', cell: ({ prefix }) => canWrite && <LetIn prefix={prefix} /> },
              ]}
            />
            <Pager nextCursor={nextCursor} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

function LetIn({ prefix }: { prefix: string }) {
  const remove = useAction(useApi().useMutation('delete', '/console/v1/billing/addons/sms/guard/blocks/{prefix}'));
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-xs"
      loading={remove.busy}
      aria-label={`Unblock ${prefix}`}
      onClick={() =>
        remove.run({ params: { path: { prefix } } }, { done: `${prefix} is unblocked`, change: 'Unblock' })
      }
    >
      Unblock
    </Button>
  );
}
