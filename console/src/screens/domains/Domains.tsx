import { Button, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { StateBadge } from '#ui/badge.tsx';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { Card, Page } from '#ui/page.tsx';
import { Empty, Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';

export function Domains() {
  const at = useAt();
  const [open, { open: show, close }] = useDisclosure(false);
  const domains = useApi().useQuery('get', '/console/v1/domains', { params: { query: { limit: 100 } } });
  const add = useCan('domains:write') ? <Button onClick={show}>Add domain</Button> : null;
  return (
    <Page title="Domains" about="Serve sign-in and the API at your own domains." actions={add}>
      <Card flush>
        <Loaded query={domains}>
          {({ items }) => (
            <Table
              label="Domains"
              rows={items}
              keyOf={({ id }) => id}
              href={({ id }) => at(`/domains/${id}`)}
              empty={
                <Empty title="No domains yet" action={add}>
                  People trust a page at login.your-company.com. Verify your domain with a DNS record, then bind it to
                  this project.
                </Empty>
              }
              columns={[
                { name: 'Domain', cell: ({ host }) => host },
                { name: 'State', cell: ({ status }) => <StateBadge state={status} /> },
                { name: 'Checked', wide: true, cell: ({ checkedAt }) => <Time at={checkedAt} none="Not yet" /> },
                { name: 'Added', wide: true, align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
            />
          )}
        </Loaded>
      </Card>
      {open && <NewDomain onClose={close} />}
    </Page>
  );
}

function NewDomain({ onClose }: { onClose: () => void }) {
  const [host, setHost] = useState('');
  const { faults, onProblem } = useFaults('host');
  const create = useAction(useApi().useMutation('post', '/console/v1/domains'));
  const navigate = useNavigate();
  const at = useAt();
  const submit = async () => {
    const made = await create.run(
      { body: { host: host.trim() } },
      { done: `${host} added`, change: 'Add domain', onProblem },
    );
    if (made) await navigate({ to: at(`/domains/${made.id}`) });
  };
  return (
    <FormDialog title="Add a domain" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label="Domain"
        placeholder="login.example.com"
        value={host}
        error={faults['host']}
        onChange={({ currentTarget: { value } }) => setHost(value)}
      />
    </FormDialog>
  );
}
