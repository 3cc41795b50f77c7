import type { ProvisioningLogEntry } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { StateBadge, sentence } from '#ui/badge.tsx';
import { ChoiceFilter, FilterBar } from '#ui/filters.tsx';
import { Card } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Below, Pager, Table } from '#ui/table.tsx';
import { LogTime } from '#ui/time.tsx';
import { OrganizationPage } from './OrganizationPage.tsx';

export function ProvisioningLog() {
  return <OrganizationPage>{({ organization }) => <Log organizationId={organization.id} />}</OrganizationPage>;
}

const OUTCOMES = ['applied', 'refused'] as const;

const ACTIONS: Record<ProvisioningLogEntry['action'], string> = {
  create: 'Add',
  replace: 'Replace',
  change: 'Change',
  delete: 'Delete',
};

function Log({ organizationId }: { organizationId: string }) {
  const [filters] = useFilters();
  const { cursor } = filters;
  const outcome = OUTCOMES.find((known) => known === filters['outcome']);
  const log = useApi().useQuery(
    'get',
    '/console/v1/organizations/{organizationId}/scim/log',
    {
      params: {
        path: { organizationId },
        query: { limit: 50, ...(cursor && { cursor }), ...(outcome && { outcome }) },
      },
    },
    { placeholderData: (before) => before },
  );
  return (
    <Card flush>
      <FilterBar>
        <ChoiceFilter
          name="outcome"
          label="Outcome"
          choices={OUTCOMES.map((value) => ({ value, label: sentence(value) }))}
          width={140}
        />
      </FilterBar>
      <Loaded query={log}>
        {({ items, nextCursor }) => (
          <>
            <Entries entries={items} filtered={outcome !== undefined} />
            <Pager nextCursor={nextCursor} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Entries({ entries, filtered }: { entries: readonly ProvisioningLogEntry[]; filtered: boolean }) {
  return (
    <Table
      label="Provisioning log"
      rows={entries}
      keyOf={({ id }) => id}
      empty={
        filtered ? (
          <Empty title="No entries with this outcome" />
        ) : (
          <Empty title="Nothing provisioned yet">
            Changes and refused requests of the directory appear here and stay for 90 days.
          </Empty>
        )
      }
      columns={[
        {
          name: 'Change',
          cell: (entry) => (
            <>
              {`${ACTIONS[entry.action]} ${entry.resourceType.toLowerCase()} ${entry.name ?? ''}`}
              {textOf(entry) && <Below>{textOf(entry)}</Below>}
            </>
          ),
        },
        { name: 'Outcome', cell: ({ outcome }) => <StateBadge state={outcome} /> },
        { name: 'Details', wide: true, cell: (entry) => textOf(entry) || '–' },
        { name: 'When', align: 'right', cell: ({ occurredAt }) => <LogTime at={occurredAt} /> },
      ]}
    />
  );
}

function textOf({ detail, changes }: ProvisioningLogEntry): string {
  return [detail, ...changes].filter((text) => text !== null).join(' · ');
}
