import { Button } from '@mantine/core';
import { useApi, useCan } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { Card } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';

/** Blocks of numbers that get no messages now. */
export function GuardBlocks() {
  const [{ cursor }] = useFilters();
  const query = { limit: 50, ...(cursor && { cursor }) };
  const blocks = useApi().useQuery('get', '/console/v1/billing/addons/sms/guard/blocks', { params: { query } });
  const canWrite = useCan('billing:write');
  return (
    <Card flush title="Held back now" about="Blocks of ten thousand numbers whose codes went unused.">
      <Loaded query={blocks}>
        {({ items, nextCursor }) => (
          <>
            <Table
              label="Blocks of numbers"
              rows={items}
              keyOf={({ prefix }) => prefix}
              empty={
                <Empty title="No block is held back">
                  When one is, it stands here and the event <code>sms.guard.tripped</code> tells your back end.
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
      aria-label={`Let in ${prefix}`}
      onClick={() =>
        remove.run({ params: { path: { prefix } } }, { done: `${prefix} gets messages again`, change: 'Let in' })
      }
    >
      Let in
    </Button>
  );
}
