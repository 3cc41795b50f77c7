import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { DomainRecord } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { StateBadge } from '#ui/badge.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Bindings } from './Bindings.tsx';
import { Proof, untilVerified } from './Proof.tsx';

export function Domain() {
  const id = useIdInAddress();
  const domain = useApi().useQuery(
    'get',
    '/console/v1/domains/{domainId}',
    { params: { path: { domainId: id } } },
    { refetchInterval: untilVerified },
  );
  return <Loaded query={domain}>{(record) => <Detail domain={record} />}</Loaded>;
}

function Detail({ domain }: { domain: DomainRecord }) {
  const at = useAt();
  const canWrite = useCan('domains:write');
  return (
    <Page
      title={domain.host}
      back={{ to: at('/domains'), label: 'Domains' }}
      beside={<StateBadge state={domain.status} />}
      actions={canWrite && <Remove domain={domain} />}
    >
      <Proof
        domain={domain}
        canWrite={canWrite}
        lost="The record is missing, so this domain is no longer served. Add it again and check."
        mutation={useApi().useMutation('post', '/console/v1/domains/{domainId}/verify')}
        init={{ params: { path: { domainId: domain.id } } }}
      />
      {domain.organizationId !== null && <OfOrganization organizationId={domain.organizationId} />}
      {domain.status === 'verified' && domain.organizationId === null && (
        <Bindings domain={domain} canWrite={canWrite} />
      )}
    </Page>
  );
}

function OfOrganization({ organizationId }: { organizationId: string }) {
  const at = useAt();
  return (
    <Card
      title="Organization"
      about="Once the domain is verified, people sign in to this organization there. While the organization is blocked, and after it is deleted, the address is closed."
    >
      <Facts
        facts={[
          [
            'Organization id',
            <Anchor key="organization" component={Link} to={at(`/organizations/${organizationId}/domains`)}>
              {organizationId}
            </Anchor>,
          ],
        ]}
      />
    </Card>
  );
}

function Remove({ domain }: { domain: DomainRecord }) {
  const at = useAt();
  return (
    <RemoveButton
      name={domain.host}
      body="Sign-in at this address stops immediately."
      mutation={useApi().useMutation('delete', '/console/v1/domains/{domainId}')}
      init={{ params: { path: { domainId: domain.id } } }}
      back={at('/domains')}
    />
  );
}
