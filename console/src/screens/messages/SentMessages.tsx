import { useApi } from '#api/scope.tsx';
import { StateBadge, sentence } from '#ui/badge.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Below, Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { MessageTabs } from './MessageTabs.tsx';

export function SentMessages() {
  const [{ cursor }] = useFilters();
  const query = { limit: 50, ...(cursor && { cursor }) };
  const messages = useApi().useQuery('get', '/console/v1/messages', { params: { query } });
  return (
    <Page title="Messages" about="Sent messages and their delivery state. Message texts aren’t stored.">
      <MessageTabs />
      <Card flush>
        <Loaded query={messages}>
          {({ items, nextCursor }) => (
            <>
              <Table
                label="Sent messages"
                rows={items}
                keyOf={({ id }) => id}
                empty={
                  <Empty title="No messages sent yet">Mails and text messages appear here once they are sent.</Empty>
                }
                columns={[
                  {
                    name: 'To',
                    cell: ({ to, template, createdAt }) => (
                      <>
                        {to}
                        <Below>
                          {sentence(template)} <Time at={createdAt} />
                        </Below>
                      </>
                    ),
                  },
                  { name: 'Message', wide: true, short: true, cell: ({ template }) => sentence(template) },
                  { name: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
                  { name: 'Attempts', wide: true, align: 'right', cell: ({ attempts }) => attempts },
                  { name: 'Error', wide: true, cell: ({ error }) => error ?? '–' },
                  { name: 'Time', wide: true, align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
                ]}
              />
              <Pager nextCursor={nextCursor} />
            </>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}
