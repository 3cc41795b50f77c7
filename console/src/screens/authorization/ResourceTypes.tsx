import { Button, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { Card, Page } from '#ui/page.tsx';
import { Empty, Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { AuthorizationTabs } from './AuthorizationTabs.tsx';

const PATH = '/console/v1/authorization/types';

export function ResourceTypes() {
  const at = useAt();
  const [open, { open: show, close }] = useDisclosure(false);
  // A project has at most fifty.
  const types = useApi().useQuery('get', PATH, { params: { query: { limit: 100 } } });
  const add = useCan('roles:write') ? <Button onClick={show}>Add type</Button> : null;
  return (
    <Page
      title="Authorization"
      about="The kinds of your resources, and the permissions that relations to them give."
      actions={add}
    >
      <AuthorizationTabs />
      <Card flush>
        <Loaded query={types}>
          {({ items }) => (
            <Table
              label="Types"
              rows={items}
              keyOf={({ key }) => key}
              href={({ key }) => at(`/authorization/types/${key}`)}
              empty={
                <Empty title="No types yet" action={add}>
                  Add one for each kind of resource, such as document. Its relations, such as editor, give permissions.
                </Empty>
              }
              columns={[
                { name: 'Name', cell: ({ name }) => name },
                { name: 'Key', cell: ({ key }) => <code>{key}</code> },
                {
                  name: 'Relations',
                  wide: true,
                  cell: ({ relations }) => relations.map(({ key }) => key).join(', ') || '–',
                },
                {
                  name: 'Parents',
                  wide: true,
                  cell: ({ parents }) => parents.map(({ type }) => type).join(', ') || '–',
                },
              ]}
            />
          )}
        </Loaded>
      </Card>
      {open && <NewType onClose={close} />}
    </Page>
  );
}

function NewType({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [key, setKey] = useState('');
  const { faults, onProblem } = useFaults('key');
  const create = useAction(useApi().useMutation('post', PATH));
  const navigate = useNavigate();
  const at = useAt();
  const submit = async () => {
    const made = await create.run({ body: { name, key } }, { done: `${name} added`, change: 'Add type', onProblem });
    if (made) await navigate({ to: at(`/authorization/types/${made.key}`) });
  };
  return (
    <FormDialog title="Add a type" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label="Name"
        maxLength={100}
        value={name}
        error={faults['name']}
        onChange={({ currentTarget: { value } }) => setName(value)}
      />
      <TextInput
        required
        label="Key"
        description="The word before the colon of its resources, such as document. It can’t be changed later."
        maxLength={50}
        value={key}
        error={faults['key']}
        onChange={({ currentTarget: { value } }) => setKey(value)}
      />
    </FormDialog>
  );
}
