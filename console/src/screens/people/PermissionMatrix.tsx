import { ActionIcon, Checkbox, Menu } from '@mantine/core';
import { Fragment } from 'react';
import type { Permission, Role } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { sentence } from '#ui/badge.tsx';
import { MoreIcon } from '#ui/icons.ts';
import { type Grants, granted } from './grants.ts';
import classes from './matrix.module.css';

type MatrixProps = {
  roles: readonly Role[];
  permissions: readonly Permission[];
  changes: Grants;
  canWrite: boolean;
  onToggle: (role: Role, key: string) => void;
};

/** Roles and their permissions, grouped by resource. */
export function PermissionMatrix(props: MatrixProps) {
  const { roles, permissions, canWrite } = props;
  const groups = Map.groupBy(
    permissions.toSorted((one, other) => one.key.localeCompare(other.key)),
    ({ key }) => key.split(':')[0] ?? key,
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard must reach it
    <section className={classes.scroll} tabIndex={0} aria-label="Permission matrix">
      <table className={classes.matrix}>
        <thead>
          <tr>
            <th scope="col">Permission</th>
            {roles.map((role) => (
              <th key={role.id} scope="col">
                <span className={classes.role}>
                  {role.name}
                  {!role.builtIn && canWrite && <RoleMenu role={role} />}
                </span>
                <code>{role.key}</code>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...groups].map(([group, items]) => (
            <Fragment key={group}>
              <tr>
                <th colSpan={roles.length + 1} scope="colgroup" className={classes.group}>
                  {sentence(group)}
                </th>
              </tr>
              {items.map((permission) => (
                <PermissionRow key={permission.key} permission={permission} {...props} />
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function PermissionRow({ permission, roles, changes, canWrite, onToggle }: MatrixProps & { permission: Permission }) {
  return (
    <tr>
      <th scope="row">
        <code>{permission.key}</code>
        <span>{permission.description}</span>
      </th>
      {roles.map((role) => (
        <td
          key={role.id}
          data-changed={granted(role, changes).includes(permission.key) !== role.permissions.includes(permission.key)}
        >
          <Checkbox
            size="xs"
            aria-label={`${role.name}: ${permission.key}`}
            checked={granted(role, changes).includes(permission.key)}
            disabled={role.builtIn || !canWrite}
            onChange={() => onToggle(role, permission.key)}
          />
        </td>
      ))}
    </tr>
  );
}

function RoleMenu({ role }: { role: Role }) {
  const remove = useAction(useApi().useMutation('delete', '/console/v1/roles/{id}'));
  const onRemove = () =>
    remove.run(
      { params: { path: { id: role.id } } },
      {
        done: `${role.name} removed`,
        question: {
          title: `Remove the role ${role.name}?`,
          body: 'Members with this role lose its permissions immediately.',
          action: 'Remove',
          danger: true,
          typeName: role.key,
        },
      },
    );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="xs" aria-label={`More about ${role.name}`}>
          <MoreIcon size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item c="var(--lk-bad)" onClick={onRemove}>
          Remove role
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
