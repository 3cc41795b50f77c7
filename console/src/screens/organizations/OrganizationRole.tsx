import { Checkbox, Stack, Text, TextInput } from '@mantine/core';
import type { OrganizationRole as RoleRecord } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Fields, RecordFields, type RecordForm, useRecordForm } from '#ui/form.tsx';
import { Card, Page } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';

export function OrganizationRole() {
  const roleKey = useIdInAddress();
  const role = useApi().useQuery('get', '/console/v1/organization-roles/{roleKey}', {
    params: { path: { roleKey } },
  });
  return <Loaded query={role}>{(record) => <Detail role={record} reread={role.refetch} />}</Loaded>;
}

type DetailProps = { role: RoleRecord; reread: () => Promise<{ data?: RoleRecord }> };

function Detail({ role, reread }: DetailProps) {
  const at = useAt();
  const api = useApi();
  const canWrite = useCan('roles:write');
  const change = api.useMutation('patch', '/console/v1/organization-roles/{roleKey}');
  const remove = api.useMutation('delete', '/console/v1/organization-roles/{roleKey}');
  const params = { path: { roleKey: role.key } };
  const form = useRecordForm({
    record: role,
    path: `/console/v1/organization-roles/${role.key}`,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes, headers }) => change.mutateAsync({ params, body: changes, headers }),
    },
    reread,
    done: 'Role saved',
    undone: 'Change undone',
  });
  return (
    <Page
      title={role.name}
      about="A role of organizations."
      back={{ to: at('/organizations/roles'), label: 'Roles' }}
      actions={
        canWrite && (
          <RemoveButton
            name={role.name}
            body="Only a role that nobody has can be removed. Remove it from the members of organizations first."
            mutation={remove}
            init={{ params }}
            back={at('/organizations/roles')}
          />
        )
      }
    >
      <RecordFields form={form}>
        <Card split title="Permissions" about="What members with this role may do in their organization.">
          <Permissions form={form} canWrite={canWrite} />
        </Card>
        <Card split title="Settings">
          <Fields canWrite={canWrite}>
            <TextInput required label="Name" maxLength={100} {...form.text('name')} />
            <TextInput label="Description" maxLength={500} {...form.text('description')} />
          </Fields>
        </Card>
      </RecordFields>
    </Page>
  );
}

/** Chooses among the permissions that the project has added. */
function Permissions({ form, canWrite }: { form: RecordForm<RoleRecord>; canWrite: boolean }) {
  const known = useApi().useQuery('get', '/console/v1/permissions', { params: { query: { limit: 100 } } });
  const { permissions } = form.values;
  const toggle = (key: string) =>
    form.set({
      permissions: permissions.includes(key) ? permissions.filter((other) => other !== key) : [...permissions, key],
    });
  return (
    <Loaded query={known}>
      {({ items }) => {
        const own = items.filter(({ builtIn }) => !builtIn);
        if (own.length === 0)
          return (
            <Text size="sm" c="var(--lk-quiet)">
              This project has added no permissions yet. Add them under “Roles”.
            </Text>
          );
        return (
          <Fields canWrite={canWrite}>
            <Stack gap="sm">
              {own.map(({ key, description }) => (
                <Checkbox
                  key={key}
                  label={key}
                  description={description}
                  checked={permissions.includes(key)}
                  onChange={() => toggle(key)}
                />
              ))}
            </Stack>
          </Fields>
        );
      }}
    </Loaded>
  );
}
