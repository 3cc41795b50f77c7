import { Button, Group, MultiSelect, Stack, Text } from '@mantine/core';
import { useApi } from '#api/scope.tsx';

type Props = { value: readonly string[]; error?: string | undefined; onChange: (permissions: string[]) => void };

/** Permissions that are often granted together. */
const PRESETS: readonly { name: string; has: (key: string) => boolean }[] = [
  { name: 'Read only', has: (key) => key.endsWith(':read') },
  { name: 'Members', has: (key) => /^(members|invitations|sessions):/.test(key) },
  { name: 'Everything', has: () => true },
];

/** The permissions of an application in the admin API. */
export function ManagementPermissions({ value, error, onChange }: Props) {
  const known = useApi().useQuery('get', '/console/v1/permissions', { params: { query: { limit: 100 } } });
  const keys = known.data?.items.map(({ key }) => key).toSorted() ?? [...value];
  return (
    <Stack gap={6}>
      <MultiSelect
        label="Permissions"
        description="What its tokens may do in the admin API."
        searchable
        clearable
        data={keys}
        value={[...value]}
        error={error}
        onChange={onChange}
      />
      <Group gap="xs" role="group" aria-label="Permissions that are often granted">
        {PRESETS.map(({ name, has }) => (
          <Button key={name} size="compact-xs" variant="default" onClick={() => onChange(keys.filter(has))}>
            {name}
          </Button>
        ))}
      </Group>
      {value.length === 0 && (
        <Text size="xs" c="var(--lk-quiet)">
          Without permissions it gets no token: the token endpoint returns <code>invalid_scope</code>.
        </Text>
      )}
    </Stack>
  );
}
