import type { ReactNode } from 'react';
import type { Organization } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { StateBadge } from '#ui/badge.tsx';
import { Page, Tabs } from '#ui/page.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';

export type OrganizationProps = { organization: Organization; reread: () => Promise<{ data?: Organization }> };

type PageProps = {
  actions?: (organization: Organization) => ReactNode;
  children: (props: OrganizationProps) => ReactNode;
};

/** A tab of the organization whose id is in the URL. */
export function OrganizationPage({ actions, children }: PageProps) {
  const at = useAt();
  const organizationId = useIdInAddress();
  const organization = useApi().useQuery('get', '/console/v1/organizations/{organizationId}', {
    params: { path: { organizationId } },
  });
  const path = `/organizations/${organizationId}`;
  return (
    <Loaded query={organization}>
      {(record) => (
        <Page
          title={record.name}
          back={{ to: at('/organizations'), label: 'Organizations' }}
          beside={<StateBadge state={record.status} />}
          actions={actions?.(record)}
        >
          <Tabs
            name={record.name}
            tabs={[
              { to: at(path), label: 'Overview' },
              { to: at(`${path}/branding`), label: 'Branding' },
              { to: at(`${path}/invitations`), label: 'Invitations' },
              { to: at(`${path}/domains`), label: 'Domains' },
              { to: at(`${path}/connections`), label: 'Connections' },
              { to: at(`${path}/directory`), label: 'Directory' },
              { to: at(`${path}/directory/log`), label: 'Provisioning log' },
            ]}
          />
          {children({ organization: record, reread: organization.refetch })}
        </Page>
      )}
    </Loaded>
  );
}
