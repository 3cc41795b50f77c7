import { Group } from '@mantine/core';
import { useMemo } from 'react';
import type { Role } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { Badge } from '#ui/badge.tsx';

const NONE: readonly Role[] = [];

/** The roles of the project, built-in ones first, loaded once for all components. */
export function useRoles(): readonly Role[] {
  const roles = useApi().useQuery(
    'get',
    '/console/v1/roles',
    { params: { query: { limit: 100 } } },
    { staleTime: 60_000 },
  );
  return useMemo(() => roles.data?.items.toReversed() ?? NONE, [roles.data]);
}

/** The names of roles in the project, given their keys. */
export function RoleNames({ roles }: { roles: readonly string[] }) {
  return <NamesOfRoles roles={roles} known={useRoles()} />;
}

type NamesProps = { roles: readonly string[]; known: readonly { key: string; name: string }[] };

export function NamesOfRoles({ roles, known }: NamesProps) {
  if (roles.length === 0) return <>–</>;
  return (
    <Group gap={4}>
      {roles.map((key) => (
        <Badge key={key}>{known.find((role) => role.key === key)?.name ?? key}</Badge>
      ))}
    </Group>
  );
}
