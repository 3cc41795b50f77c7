import { Button } from '@mantine/core';
import type { DomainRecord } from '#api/records.ts';
import { useApi, useScope } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { sentence } from '#ui/badge.tsx';
import { Copy } from '#ui/copy.tsx';
import { Card } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';

const PURPOSES = [
  { purpose: 'auth', label: 'Sign-in and OpenID Connect' },
  { purpose: 'api', label: 'API' },
  { purpose: 'status', label: 'Status page' },
] as const;

/** The bindings of a verified domain. */
export function Bindings({ domain: { id, host }, canWrite }: { domain: DomainRecord; canWrite: boolean }) {
  const api = useApi();
  const { projectId, environment } = useScope();
  const bindings = api.useQuery('get', '/console/v1/domains/{domainId}/bindings', {
    params: { path: { domainId: id } },
  });
  const bind = useAction(api.useMutation('post', '/console/v1/domains/{domainId}/bindings'));
  const unbind = useAction(api.useMutation('delete', '/console/v1/domains/{domainId}/bindings'));
  if (!projectId || !environment) return null;
  const onUnbind = (purpose: (typeof PURPOSES)[number]['purpose']) =>
    unbind.run(
      { params: { path: { domainId: id }, query: { purpose } } },
      {
        done: 'Unbound',
        question: {
          title: `Stop serving at ${host}?`,
          body: 'Requests to this address are rejected immediately.',
          action: 'Unbind',
          danger: true,
        },
      },
    );
  return (
    <Card
      flush
      title="Bindings"
      about="What this domain serves for this project and environment. One of a status page serves nothing else."
      actions={
        canWrite &&
        PURPOSES.map(({ purpose, label }) => (
          <Button
            key={purpose}
            variant="default"
            size="compact-sm"
            loading={bind.busy}
            onClick={() =>
              bind.run(
                { params: { path: { domainId: id } }, body: { projectId, environment, purpose } },
                { done: `${host} is bound to ${label}`, change: 'Bind' },
              )
            }
          >
            Bind to {label}
          </Button>
        ))
      }
    >
      <Loaded query={bindings}>
        {({ items }) => (
          <Table
            label="Bindings"
            rows={items}
            keyOf={(binding) => binding.purpose}
            empty="No bindings yet"
            columns={[
              {
                name: 'Purpose',
                cell: ({ purpose }) => PURPOSES.find((known) => known.purpose === purpose)?.label ?? purpose,
              },
              { name: 'Environment', cell: (binding) => sentence(binding.environment) },
              { name: 'Address', wide: true, cell: (binding) => <Copy value={binding.address} /> },
              {
                name: '',
                align: 'right',
                cell: (binding) =>
                  canWrite && (
                    <Button variant="subtle" color="gray" size="compact-xs" onClick={() => onUnbind(binding.purpose)}>
                      Unbind
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
