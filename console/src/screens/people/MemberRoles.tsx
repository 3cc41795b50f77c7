import { Checkbox, Stack } from '@mantine/core';
import type { Member } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { RecordFields, useRecordForm } from '#ui/form.tsx';
import { Card } from '#ui/page.tsx';
import { useRoles } from './RoleNames.tsx';

/** Edits the roles of a member. */
export function MemberRoles({ member }: { member: Member }) {
  const api = useApi();
  const roles = useRoles();
  const canWrite = useCan('members:write');
  const params = { path: { memberId: member.id } };
  const replace = api.useMutation('put', '/console/v1/members/{memberId}/roles');
  const record = api.useQuery('get', '/console/v1/members/{memberId}', { params });
  const form = useRecordForm({
    record: member,
    path: `/console/v1/members/${member.id}`,
    save: {
      isPending: replace.isPending,
      mutateAsync: ({ changes, headers }) =>
        replace.mutateAsync({ params, body: { roles: changes.roles ?? member.roles }, headers }),
    },
    reread: record.refetch,
    done: 'Roles changed',
    undone: 'Change undone',
  });
  const { roles: given } = form.values;
  const toggle = (key: string) =>
    form.set({ roles: given.includes(key) ? given.filter((one) => one !== key) : [...given, key] });
  return (
    <Card title="Roles" about="What this member may do in your product and the admin API.">
      <RecordFields form={form}>
        <Stack gap="sm">
          {roles.map(({ key, name, description }) => (
            <Checkbox
              key={key}
              label={name}
              description={description}
              checked={given.includes(key)}
              disabled={!canWrite}
              onChange={() => toggle(key)}
            />
          ))}
        </Stack>
      </RecordFields>
    </Card>
  );
}
