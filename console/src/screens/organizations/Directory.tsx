import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { DirectoryGroup } from '#api/records.ts';
import { useApi, useCan, useScope } from '#api/scope.tsx';
import { useSession } from '#api/session.ts';
import { useAction } from '#ui/action.ts';
import { Copy } from '#ui/copy.tsx';
import { FormDialog } from '#ui/dialog.tsx';
import { Card, Facts } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { OrganizationPage } from './OrganizationPage.tsx';
import { OrganizationRoleNames, RoleChoices } from './RoleChoices.tsx';
import { ScimTokens } from './ScimTokens.tsx';

/** How the company's directory provisions the organization (SCIM 2.0). */
export function Directory() {
  const canWrite = useCan('organizations:write');
  const { environment } = useScope();
  const { addresses } = useSession();
  return (
    <OrganizationPage>
      {({ organization: { id } }) => (
        <>
          {environment && (
            <Card title="Connection" about="Enter this address and a token in the company’s directory (SCIM 2.0).">
              <Facts
                facts={[['Base address', <Copy key="address" value={`${addresses[environment].api}/scim/v2`} />]]}
              />
            </Card>
          )}
          <ScimTokens organizationId={id} canWrite={canWrite} />
          <Groups organizationId={id} canWrite={canWrite} />
        </>
      )}
    </OrganizationPage>
  );
}

function Groups({ organizationId, canWrite }: { organizationId: string; canWrite: boolean }) {
  const [{ cursor }] = useFilters();
  const groups = useApi().useQuery('get', '/console/v1/organizations/{organizationId}/scim/groups', {
    params: { path: { organizationId }, query: { limit: 50, ...(cursor && { cursor }) } },
  });
  return (
    <Card flush title="Groups" about="The members of a group have its roles in this organization.">
      <Loaded query={groups}>
        {({ items, nextCursor }) => (
          <>
            <Table
              label="Groups"
              rows={items}
              keyOf={({ id }) => id}
              empty={<Empty title="No groups yet">The directory adds them.</Empty>}
              columns={[
                { name: 'Group', cell: ({ name }) => name },
                { name: 'Members', wide: true, cell: ({ memberCount }) => memberCount.toLocaleString('en') },
                { name: 'Roles', cell: ({ roles }) => <OrganizationRoleNames roles={roles} /> },
                { name: 'Changed', wide: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
                {
                  name: '',
                  align: 'right',
                  cell: (group) => canWrite && <ChangeRoles organizationId={organizationId} group={group} />,
                },
              ]}
            />
            <Pager nextCursor={nextCursor} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

type GroupProps = { organizationId: string; group: DirectoryGroup };

function ChangeRoles({ organizationId, group }: GroupProps) {
  const [open, { open: show, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="subtle" color="gray" size="compact-xs" aria-label={`Roles of ${group.name}`} onClick={show}>
        Roles
      </Button>
      {open && <GroupRoles organizationId={organizationId} group={group} onClose={close} />}
    </>
  );
}

function GroupRoles({ organizationId, group, onClose }: GroupProps & { onClose: () => void }) {
  const [chosen, setChosen] = useState(group.roles);
  const replacing = useApi().useMutation(
    'put',
    '/console/v1/organizations/{organizationId}/scim/groups/{groupId}/roles',
  );
  const replace = useAction(replacing);
  const to = (roles: string[]) => ({ params: { path: { organizationId, groupId: group.id } }, body: { roles } });
  const submit = async () => {
    const undo = { act: () => replacing.mutateAsync(to(group.roles)), done: 'Change undone' };
    if (await replace.run(to(chosen), { done: 'Roles changed', change: 'Change roles', undo })) onClose();
  };
  return (
    <FormDialog title={`Roles of ${group.name}`} action="Save" busy={replace.busy} onSubmit={submit} onClose={onClose}>
      <RoleChoices chosen={chosen} onChange={setChosen} />
    </FormDialog>
  );
}
