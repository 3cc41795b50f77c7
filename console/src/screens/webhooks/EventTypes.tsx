import { Accordion, Text, TextInput } from '@mantine/core';
import { CodeBlock } from '#ui/copy.tsx';
import { SearchIcon } from '#ui/icons.ts';
import { Card, Columns, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { useCatalogue } from './eventTypes.ts';
import { WebhookTabs } from './WebhookTabs.tsx';

export function EventTypes() {
  const [{ q = '', type = null }, setFilters] = useFilters();
  const types = useCatalogue();
  return (
    <Page title="Webhooks" about="All event types, each with its schema and an example.">
      <WebhookTabs />
      <Card flush>
        <TextInput
          m="sm"
          maw={300}
          size="xs"
          type="search"
          aria-label="Find an event type"
          placeholder="Find an event type"
          leftSection={<SearchIcon size={14} aria-hidden />}
          value={q}
          onChange={({ currentTarget: { value } }) => setFilters({ q: value }, { replace: true })}
        />
        <Loaded query={types}>
          {(items) => {
            const found = items.filter((item) =>
              `${item.type} ${item.description}`.toLowerCase().includes(q.toLowerCase()),
            );
            if (found.length === 0) return <Empty title="No matching event types" />;
            return (
              <Accordion value={type} onChange={(value) => setFilters({ type: value ?? undefined }, { replace: true })}>
                {found.map((item) => (
                  <Accordion.Item key={item.type} value={item.type}>
                    <Accordion.Control>
                      <code>{item.type}</code>
                      <Text size="xs" c="var(--lk-quiet)">
                        {item.description}
                      </Text>
                    </Accordion.Control>
                    <Accordion.Panel>
                      {item.type === type && (
                        <Columns>
                          <CodeBlock code={JSON.stringify(item.example, null, 2)} name="the example" />
                          <CodeBlock code={JSON.stringify(item.schema, null, 2)} name="the schema" />
                        </Columns>
                      )}
                    </Accordion.Panel>
                  </Accordion.Item>
                ))}
              </Accordion>
            );
          }}
        </Loaded>
      </Card>
    </Page>
  );
}
