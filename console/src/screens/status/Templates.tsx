import { Button } from '@mantine/core';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { sentence } from '#ui/badge.tsx';
import { ChoiceFilter, FilterBar } from '#ui/filters.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useFilters, useNewDialog } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { KINDS, NewTemplate } from './NewTemplate.tsx';
import { onStatusPage } from './onStatusPage.tsx';
import { StatusTabs } from './StatusTabs.tsx';

export const Templates = onStatusPage(function Templates() {
  const at = useAt();
  const [open, { open: show, close }] = useNewDialog();
  const [filters] = useFilters();
  const { cursor } = filters;
  const kind = KINDS.find(({ value }) => value === filters['kind'])?.value;
  const query = { limit: 50, ...(kind && { kind }), ...(cursor && { cursor }) };
  const templates = useApi().useQuery('get', '/console/v1/status/templates', { params: { query } });
  const add = useCan('status:write') && <Button onClick={show}>Add template</Button>;
  return (
    <Page title="Status" about="Texts for incidents and maintenance, written in advance." actions={add}>
      <StatusTabs />
      <Card flush>
        <FilterBar>
          <ChoiceFilter name="kind" label="For" choices={[...KINDS]} />
        </FilterBar>
        <Loaded query={templates}>
          {({ items, nextCursor }) => (
            <>
              <Table
                label="Templates"
                rows={items}
                keyOf={({ id }) => id}
                href={({ id }) => at(`/status/templates/${id}`)}
                empty={
                  kind ? (
                    <Empty title="No templates match this filter" />
                  ) : (
                    <Empty title="No templates yet" action={add}>
                      Choose one when you report an incident or plan maintenance, so that nobody has to find words in a
                      hurry.
                    </Empty>
                  )
                }
                columns={[
                  { name: 'Name', cell: ({ name }) => name },
                  { name: 'For', cell: (template) => sentence(template.kind) },
                  { name: 'Title', wide: true, cell: ({ title }) => title },
                  { name: 'Changed', wide: true, align: 'right', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
                ]}
              />
              <Pager nextCursor={nextCursor} />
            </>
          )}
        </Loaded>
      </Card>
      {open && <NewTemplate onClose={close} />}
    </Page>
  );
});
