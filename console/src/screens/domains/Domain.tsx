import { Button, Text } from '@mantine/core';
import type { DomainRecord } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { StateBadge } from '#ui/badge.tsx';
import { Copy } from '#ui/copy.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { Bindings } from './Bindings.tsx';

/** How often an unverified domain is reloaded, in milliseconds. */
const LOOK_EVERY_MS = 10_000;

export function Domain() {
  const id = useIdInAddress();
  const domain = useApi().useQuery('get', '/console/v1/domains/{domainId}', { params: { path: { domainId: id } } });
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
      <Proof domain={domain} canWrite={canWrite} />
      {domain.status === 'verified' && <Bindings domain={domain} canWrite={canWrite} />}
    </Page>
  );
}

function Proof({ domain, canWrite }: { domain: DomainRecord; canWrite: boolean }) {
  const api = useApi();
  const { id, status, verification, fault, verifiedAt, checkedAt } = domain;
  const verify = useAction(api.useMutation('post', '/console/v1/domains/{domainId}/verify'));
  const params = { path: { domainId: id } };
  const waiting = status !== 'verified';
  // Reload while the domain is unverified, so that the page updates by itself.
  api.useQuery(
    'get',
    '/console/v1/domains/{domainId}',
    { params },
    { refetchInterval: waiting ? LOOK_EVERY_MS : false },
  );
  const done = (found: DomainRecord) => (found.status === 'verified' ? 'Domain verified' : 'Record not found yet');
  return (
    <Card
      title={waiting ? 'Verify ownership' : 'Ownership'}
      about={
        waiting
          ? 'Add this record at your DNS provider. It can take a few minutes to become visible.'
          : 'Keep this record: it is checked every day.'
      }
      actions={
        canWrite && (
          <Button
            variant={waiting ? 'filled' : 'default'}
            size="compact-sm"
            loading={verify.busy}
            onClick={() => verify.run({ params }, { done, change: 'Check' })}
          >
            Check now
          </Button>
        )
      }
    >
      <Facts
        facts={[
          ['Type', verification.type],
          ['Name', <Copy key="name" value={verification.name} />],
          ['Value', <Copy key="value" value={verification.value} />],
          ['Checked', <Time key="checked" at={checkedAt} none="Not yet" />],
          ['Result', fault ?? '–'],
          ['Verified', <Time key="verified" at={verifiedAt} none="Not yet" />],
        ]}
      />
      {status === 'lost' && (
        <Text size="sm" c="var(--lk-bad)" mt="md" role="alert">
          The record is missing, so this domain is no longer served. Add it again and check.
        </Text>
      )}
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
