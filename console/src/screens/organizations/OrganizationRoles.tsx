import { Button, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { Badge } from '#ui/badge.tsx';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { Card, Page } from '#ui/page.tsx';
import { Loaded, Needs } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { OrganizationTabs } from './OrganizationTabs.tsx';

export function OrganizationRoles() {
  const at = useAt();
  const [open, { open: show, close }] = useDisclosure(false);
  const roles = useApi().useQuery('get', '/console/v1/organization-roles', { params: { query: { limit: 100 } } });
  return (
    <Page
      title="Organizations"
      about="Roles that members may have in any organization. They grant nothing in the project itself."
      actions={useCan('roles:write') && <Button onClick={show}>Add role</Button>}
    >
      <OrganizationTabs />
      <Needs permission="roles:read">
        <Card flush>
          <Loaded query={roles}>
            {({ items }) => (
              <Table
                label="Roles"
                rows={items.toReversed()}
                keyOf={({ key }) => key}
                href={({ key, builtIn }) => (builtIn ? null : at(`/organizations/roles/${key}`))}
                empty="No roles"
                columns={[
                  {
                    name: 'Name',
                    cell: ({ name, builtIn }) => (
                      <>
                        {name} {builtIn && <Badge>Built-in</Badge>}
                      </>
                    ),
                  },
                  { name: 'Key', cell: ({ key }) => <code>{key}</code> },
                  { name: 'Description', wide: true, cell: ({ description }) => description || '–' },
                  { name: 'Permissions', align: 'right', cell: ({ permissions }) => permissions.length },
                ]}
              />
            )}
          </Loaded>
        </Card>
      </Needs>
      {open && <NewOrganizationRole onClose={close} />}
    </Page>
  );
}

function NewOrganizationRole({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [key, setKey] = useState('');
  const { faults, onProblem } = useFaults('key');
  const create = useAction(useApi().useMutation('post', '/console/v1/organization-roles'));
  const navigate = useNavigate();
  const at = useAt();
  const submit = async () => {
    const action = { done: `Role ${name} added`, change: 'Add role', onProblem };
    const made = await create.run({ body: { name, key } }, action);
    if (made) await navigate({ to: at(`/organizations/roles/${made.key}`) });
  };
  return (
    <FormDialog title="Add a role" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
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
        description="The key that your code checks, such as billing. It can’t be changed later."
        value={key}
        error={faults['key']}
        onChange={({ currentTarget: { value } }) => setKey(value)}
      />
    </FormDialog>
  );
}
