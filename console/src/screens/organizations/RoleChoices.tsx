import { Checkbox, MultiSelect, Stack } from '@mantine/core';
import { useMemo } from 'react';
import type { OrganizationRole } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { NamesOfRoles } from '../people/RoleNames.tsx';

const NONE: readonly OrganizationRole[] = [];

/** The roles of organizations, the built-in one first. */
function useOrganizationRoles(): readonly OrganizationRole[] {
  const roles = useApi().useQuery('get', '/console/v1/organization-roles', { params: { query: { limit: 100 } } });
  return useMemo(() => roles.data?.items.toReversed() ?? NONE, [roles.data]);
}

/** The role that nobody gets through a connection. */
export const OWNER = 'owner';

type SelectProps = { label: string; chosen: string[]; onChange: (chosen: string[]) => void };

/** The roles that a connection can give, in one line. */
export function RoleSelect({ label, chosen, onChange }: SelectProps) {
  const roles = useOrganizationRoles();
  const offered = roles.filter(({ key }) => key !== OWNER).map(({ key, name }) => ({ value: key, label: name }));
  return <MultiSelect searchable label={label} data={offered} value={chosen} onChange={onChange} />;
}

type ChoicesProps = {
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  /** The key of a role that can't be chosen here. */
  without?: string;
};

export function RoleChoices({ chosen, onChange, without }: ChoicesProps) {
  const roles = useOrganizationRoles().filter(({ key }) => key !== without);
  const toggle = (key: string) =>
    onChange(chosen.includes(key) ? chosen.filter((other) => other !== key) : [...chosen, key]);
  return (
    <Stack gap="sm">
      {roles.map(({ key, name, description }) => (
        <Checkbox
          key={key}
          label={name}
          description={description}
          checked={chosen.includes(key)}
          onChange={() => toggle(key)}
        />
      ))}
    </Stack>
  );
}

/** The names of roles in an organization, given their keys. */
export function OrganizationRoleNames({ roles }: { roles: readonly string[] }) {
  return <NamesOfRoles roles={roles} known={useOrganizationRoles()} />;
}
