import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Badge } from '#ui/badge.tsx';
import { Card, Page } from '#ui/page.tsx';
import { Empty, Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { NewProvider } from './NewProvider.tsx';
import { presetName } from './presets.ts';

export function Providers() {
  const at = useAt();
  const [open, { open: show, close }] = useDisclosure(false);
  const providers = useApi().useQuery('get', '/console/v1/identity-providers', { params: { query: { limit: 100 } } });
  const add = useCan('providers:write') ? <Button onClick={show}>Add provider</Button> : null;
  return (
    <Page
      title="Identity providers"
      about="Let people sign in with an account at another provider."
      back={{ to: at('/sign-in'), label: 'Methods and policy' }}
      actions={add}
    >
      <Card flush>
        <Loaded query={providers}>
          {({ items }) => (
            <Table
              label="Identity providers"
              rows={items}
              keyOf={({ id }) => id}
              href={({ id }) => at(`/providers/${id}`)}
              empty={
                <Empty title="No identity providers" action={add}>
                  Google, Apple, Microsoft, GitHub and any OpenID Connect provider. You need a client id and secret from
                  them.
                </Empty>
              }
              columns={[
                { name: 'Name', cell: ({ name }) => name },
                { name: 'Kind', cell: ({ preset }) => presetName(preset) },
                { name: 'Key', wide: true, cell: ({ key }) => <code>{key}</code> },
                {
                  name: 'State',
                  cell: ({ enabled }) => (enabled ? <Badge tone="good">Enabled</Badge> : <Badge>Disabled</Badge>),
                },
                { name: 'Changed', wide: true, align: 'right', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
              ]}
            />
          )}
        </Loaded>
      </Card>
      {open && <NewProvider onClose={close} />}
    </Page>
  );
}
