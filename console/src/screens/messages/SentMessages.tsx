import { useApi, useClient } from '#api/scope.tsx';
import { StateBadge, sentence } from '#ui/badge.tsx';
import { List } from '#ui/list.tsx';
import { Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty } from '#ui/states.tsx';
import { Below } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { MessageTabs } from './MessageTabs.tsx';

export function SentMessages() {
  const [{ cursor }] = useFilters();
  const query = { limit: 50, ...(cursor && { cursor }) };
  const client = useClient();
  const messages = useApi().useQuery('get', '/console/v1/messages', { params: { query } });
  return (
    <Page title="Messages" about="Sent messages and their delivery state. Message texts aren’t stored.">
      <MessageTabs />
      <List
        query={messages}
        readPage={(page) => client.GET('/console/v1/messages', { params: { query: page } })}
        label="Sent messages"
        keyOf={({ id }) => id}
        empty={<Empty title="No messages sent yet">Mails and text messages appear here once they are sent.</Empty>}
        columns={[
          {
            name: 'To',
            value: ({ to }) => to,
            cell: ({ to, template, createdAt }) => (
              <>
                {to}
                <Below>
                  {sentence(template)} <Time at={createdAt} />
                </Below>
              </>
            ),
          },
          {
            name: 'Message',
            value: ({ template }) => template,
            wide: true,
            short: true,
            cell: ({ template }) => sentence(template),
          },
          { name: 'Status', value: ({ status }) => status, cell: ({ status }) => <StateBadge state={status} /> },
          {
            name: 'Attempts',
            value: ({ attempts }) => attempts,
            wide: true,
            align: 'right',
            cell: ({ attempts }) => attempts,
          },
          { name: 'Error', value: ({ error }) => error, wide: true, cell: ({ error }) => error ?? '–' },
          {
            name: 'Time',
            value: ({ createdAt }) => createdAt,
            wide: true,
            align: 'right',
            cell: ({ createdAt }) => <Time at={createdAt} />,
          },
        ]}
      />
    </Page>
  );
}
