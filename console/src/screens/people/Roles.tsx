import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { headersOf } from '#api/client.ts';
import { problemOf } from '#api/problem.ts';
import type { Permission, Role } from '#api/records.ts';
import { useApi, useCan, useScope } from '#api/scope.tsx';
import { etagOf } from '#api/transport.ts';
import { useAction } from '#ui/action.ts';
import { notifyProblem } from '#ui/notice.tsx';
import { Card, Page } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { type Grants, granted, rebased, sameSet, toggled } from './grants.ts';
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
      about="A role is a set of permissions. Your product reads them from the token or from /v1/me/authorization."
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
  const { replace, busy } = useReplacing((role, now) => setChanges((mine) => rebased(mine, role, now)));
  const dirty = roles.filter(({ id }) => id in changes);
  const save = async () => {
    const saved = await Promise.all(dirty.map((role) => replace(role, granted(role, changes))));
    if (saved.every(Boolean)) setChanges({});
  };
  return (
    <Card
      flush
      title={`${roles.length} roles, ${permissions.length} permissions`}
      about="Built-in roles can’t be changed."
      actions={
        dirty.length > 0 && (
          <Group gap="xs">
            <Button variant="default" onClick={() => setChanges({})}>
              Discard
            </Button>
            <Button loading={busy} onClick={save}>
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

/** Replaces the permissions of a role if it has not changed. @param onConflict receives the current role if it has */
function useReplacing(onConflict: (role: Role, now: Role) => void) {
  const api = useApi();
  const queries = useQueryClient();
  const scope = headersOf(useScope());
  const replacing = api.useMutation('put', '/console/v1/roles/{id}/permissions');
  const action = useAction(replacing);
  const replace = async (role: Role, permissions: readonly string[]): Promise<boolean> => {
    const params = { path: { id: role.id } };
    const read = () =>
      queries.fetchQuery(api.queryOptions('get', '/console/v1/roles/{id}', { params }, { staleTime: 0 }));
    const conflict = async (now: Role) => {
      notifyConflict(role);
      await queries.invalidateQueries();
      onConflict(role, now);
    };
    // The list has no versions, so load the role again and change it only if it is still the same.
    const now = await read().catch((thrown) => notifyProblem(problemOf(thrown)));
    if (!now) return false;
    if (!sameSet(now.permissions, role.permissions)) {
      await conflict(now);
      return false;
    }
    const version = etagOf(scope, `/console/v1/roles/${role.id}`);
    const saved = await action.run(
      { params, body: { permissions: [...permissions] }, headers: version ? { 'If-Match': version } : {} },
      {
        done: `${role.name} changed`,
        change: `Change ${role.name}`,
        undo: {
          act: () => replacing.mutateAsync({ params, body: { permissions: role.permissions } }),
          done: `Change of ${role.name} undone`,
        },
        onProblem: ({ status }) => {
          if (status === 412) read().then(conflict, () => undefined);
          return status === 412;
        },
      },
    );
    return saved !== null;
  };
  return { replace, busy: action.busy };
}

function notifyConflict({ name }: Role): void {
  notifyProblem({
    ...problemOf(null),
    title: `Someone else changed ${name}`,
    detail: 'Your changes were not saved. They now apply to the new version: review them and save again.',
  });
}
