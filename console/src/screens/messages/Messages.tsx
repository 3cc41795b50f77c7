import type { MessageTemplate } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Badge, sentence } from '#ui/badge.tsx';
import { ChoiceFilter, FilterBar } from '#ui/filters.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { languages } from './languages.ts';
import { MessageTabs } from './MessageTabs.tsx';

export function Messages() {
  const at = useAt();
  const [filters] = useFilters();
  const locale = languages.find(({ value }) => value === filters['locale'])?.value ?? 'en';
  const templates = useApi().useQuery('get', '/console/v1/settings/messages', {
    params: { query: { locale, limit: 100 } },
  });
  const href = ({ template }: MessageTemplate) =>
    at(`/messages/${template}${locale === 'en' ? '' : `?locale=${locale}`}`);
  return (
    <Page title="Messages" about="Mails and text messages to people, in seven languages.">
      <MessageTabs />
      <Card flush>
        <FilterBar>
          <ChoiceFilter name="locale" label="Language" choices={languages} otherwise="en" />
        </FilterBar>
        <Loaded query={templates}>
          {({ items }) => (
            <Table
              label="Message templates"
              rows={items}
              keyOf={({ template }) => template}
              href={href}
              empty="No templates"
              columns={[
                { name: 'Message', short: true, cell: ({ template }) => sentence(template) },
                { name: 'Subject', wide: true, cell: ({ subject }) => subject || '–' },
                {
                  name: 'Text',
                  align: 'right',
                  cell: ({ custom }) => (custom ? <Badge tone="info">Custom</Badge> : <Badge>Built in</Badge>),
                },
              ]}
            />
          )}
        </Loaded>
      </Card>
    </Page>
  );
}
