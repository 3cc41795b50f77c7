import { Button, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi, useCan, useClient } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { List } from '#ui/list.tsx';
import { Page } from '#ui/page.tsx';
import { useFilters, useNewDialog } from '#ui/search.ts';
import { Empty } from '#ui/states.tsx';
import { Below } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';

export function Apis() {
  const at = useAt();
  const [{ cursor }] = useFilters();
  const [open, { open: show, close }] = useNewDialog();
  const query = { limit: 50, ...(cursor && { cursor }) };
  const client = useClient();
  const apis = useApi().useQuery('get', '/console/v1/apis', { params: { query } });
  const add = useCan('apis:write') ? <Button onClick={show}>Add API</Button> : null;
  return (
    <Page title="APIs" about="Your own APIs, for which applications get access tokens." actions={add}>
      <List
        query={apis}
        readPage={(page) => client.GET('/console/v1/apis', { params: { query: page } })}
        label="APIs"
        keyOf={({ id }) => id}
        href={({ id }) => at(`/apis/${id}`)}
        empty={
          <Empty title="No APIs yet" action={add}>
            Add one for each of your services that checks access tokens. Give it scopes, then choose which applications
            may use it.
          </Empty>
        }
        columns={[
          {
            name: 'Name',
            value: ({ name }) => name,
            cell: ({ name, identifier }) => (
              <>
                {name}
                <Below>{identifier}</Below>
              </>
            ),
          },
          {
            name: 'Identifier',
            value: ({ identifier }) => identifier,
            wide: true,
            cell: ({ identifier }) => <code>{identifier}</code>,
          },
          { name: 'Scopes', value: ({ scopes }) => scopes.length, align: 'right', cell: ({ scopes }) => scopes.length },
          {
            name: 'Changed',
            value: ({ updatedAt }) => updatedAt,
            wide: true,
            align: 'right',
            cell: ({ updatedAt }) => <Time at={updatedAt} />,
          },
        ]}
      />
      {open && <NewApi onClose={close} />}
    </Page>
  );
}

function NewApi({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [identifier, setIdentifier] = useState('');
  const { faults, onProblem } = useFaults('identifier');
  const create = useAction(useApi().useMutation('post', '/console/v1/apis'));
  const navigate = useNavigate();
  const at = useAt();
  const submit = async () => {
    const body = { name, identifier: identifier.trim() };
    const made = await create.run({ body }, { done: `${name} added`, change: 'Add API', onProblem });
    if (made) await navigate({ to: at(`/apis/${made.id}`) });
  };
  return (
    <FormDialog title="Add an API" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label="Name"
        description="People see it when an application asks for their consent."
        maxLength={100}
        value={name}
        error={faults['name']}
        onChange={({ currentTarget: { value } }) => setName(value)}
      />
      <TextInput
        required
        label="Identifier"
        description="The audience of its tokens: an absolute URI. It can’t be changed later."
        placeholder="https://api.example.com"
        value={identifier}
        error={faults['identifier']}
        onChange={({ currentTarget: { value } }) => setIdentifier(value)}
      />
    </FormDialog>
  );
}
