import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { Permission, Role } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { Card, Page } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { type Grants, granted, toggled } from './grants.ts';
import { NewPermission, NewRole } from './NewRole.tsx';
import { PermissionMatrix } from './PermissionMatrix.tsx';

export function Roles() {
  const api = useApi();
  const query = { limit: 100 };
  const roles = api.useQuery('get', '/console/v1/roles', { params: { query } });
  const permissions = api.useQuery('get', '/console/v1/permissions', { params: { query } });
  const [role, roleControl] = useDisclosure(false);
  const [permission, permissionControl] = useDisclosure(false);
  const canWrite = useCan('roles:write');
  return (
    <Page
      title="Roles and permissions"
      about="A role is a set of permissions. Your product reads them from the token or asks /v1/me/authorization."
      actions={
        canWrite && (
          <>
            <Button variant="default" onClick={permissionControl.open}>
              Add permission
            </Button>
            <Button onClick={roleControl.open}>Add role</Button>
          </>
        )
      }
    >
      <Loaded query={roles}>
        {({ items }) => (
          <Loaded query={permissions}>
            {(known) => <Matrix roles={items.toReversed()} permissions={known.items} canWrite={canWrite} />}
          </Loaded>
        )}
      </Loaded>
      {role && <NewRole onClose={roleControl.close} />}
      {permission && <NewPermission onClose={permissionControl.close} />}
    </Page>
  );
}

type MatrixProps = { roles: readonly Role[]; permissions: readonly Permission[]; canWrite: boolean };

function Matrix({ roles, permissions, canWrite }: MatrixProps) {
  const [changes, setChanges] = useState<Grants>({});
  const replacing = useApi().useMutation('put', '/console/v1/roles/{id}/permissions');
  const replace = useAction(replacing);
  const dirty = roles.filter(({ id }) => id in changes);
  const save = async () => {
    const saved = await Promise.all(
      dirty.map((role) =>
        replace.run(
          { params: { path: { id: role.id } }, body: { permissions: [...granted(role, changes)] } },
          {
            done: `${role.name} changed`,
            change: `Change ${role.name}`,
            undo: {
              act: () =>
                replacing.mutateAsync({ params: { path: { id: role.id } }, body: { permissions: role.permissions } }),
              done: `${role.name} is as it was`,
            },
          },
        ),
      ),
    );
    if (saved.every(Boolean)) setChanges({});
  };
  return (
    <Card
      flush
      title={`${roles.length} roles, ${permissions.length} permissions`}
      about="Built-in roles always stay as they are."
      actions={
        dirty.length > 0 && (
          <Group gap="xs">
            <Button variant="default" onClick={() => setChanges({})}>
              Discard
            </Button>
            <Button loading={replace.busy} onClick={save}>
              Save {dirty.map(({ name }) => name).join(', ')}
            </Button>
          </Group>
        )
      }
    >
      <PermissionMatrix
        roles={roles}
        permissions={permissions}
        changes={changes}
        canWrite={canWrite}
        onToggle={(role, key) => setChanges(toggled(changes, role, key))}
      />
    </Card>
  );
}
