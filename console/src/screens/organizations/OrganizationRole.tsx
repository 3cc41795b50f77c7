import { Checkbox, Stack, Switch, TextInput } from '@mantine/core';
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
            <Switch
              label="Members of an organization may assign this role"
              description="Members who manage others can assign and remove it, even if they lack its project permissions."
              checked={form.values.delegable}
              onChange={({ currentTarget: { checked } }) => form.set({ delegable: checked })}
            />
          </Fields>
        </Card>
      </RecordFields>
    </Page>
  );
}

/** The permissions to manage an organization. */
const INSIDE: readonly (readonly [key: string, about: string])[] = [
  ['org.profile:write', 'Change the name and slug of the organization'],
  ['org.members:read', 'See its members and roles'],
  ['org.members:write', 'Change the roles of members, and remove them'],
  ['org.invitations:read', 'See invitations'],
  ['org.invitations:write', 'Invite people and revoke invitations'],
  ['org.domains:read', 'See its mail domains'],
  ['org.domains:write', 'Add, verify and remove mail domains, and change who joins by them'],
  ['org.connections:read', 'See its connections, if the settings let members'],
  ['org.connections:write', 'Add, change, test and remove connections, if the settings let members'],
  ['org.directory:read', 'See its SCIM tokens and provisioning log, if the settings let members'],
  ['org.directory:write', 'Issue and remove SCIM tokens, if the settings let members'],
  ['org.policy:read', 'See its policy, if the settings let members'],
  ['org.policy:write', 'Change its policy, if the settings let members'],
  ['org.audit:read', 'Read its audit log'],
];

/** Chooses among the project's own permissions and those to manage an organization. */
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
        const own = items.filter(({ builtIn }) => !builtIn).map(({ key, description }) => [key, description] as const);
        return (
          <Fields canWrite={canWrite}>
            <Stack gap="sm">
              {[...own, ...INSIDE].map(([key, about]) => (
                <Checkbox
                  key={key}
                  label={key}
                  description={about}
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
