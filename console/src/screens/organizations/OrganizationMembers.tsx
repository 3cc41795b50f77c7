import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Organization, OrganizationMember } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { StateBadge } from '#ui/badge.tsx';
import { Card } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { nameOf } from '../people/members.ts';
import { AddOrganizationMember, RolesInOrganization } from './MemberDialogs.tsx';
import { OrganizationRoleNames } from './RoleChoices.tsx';

const shownName = (member: OrganizationMember) => nameOf({ ...member, id: member.memberId });

type MembersProps = { organization: Organization; canWrite: boolean };

export function OrganizationMembers({ organization, canWrite }: MembersProps) {
  const at = useAt();
  const [{ cursor }] = useFilters();
  const [adding, { open, close }] = useDisclosure(false);
  const seesMembers = useCan('members:read');
  const members = useApi().useQuery('get', '/console/v1/organizations/{organizationId}/members', {
    params: { path: { organizationId: organization.id }, query: { limit: 50, ...(cursor && { cursor }) } },
  });
  const add = canWrite && seesMembers && <Button onClick={open}>Add member</Button>;
  return (
    <Card flush title="Members" actions={add}>
      <Loaded query={members}>
        {({ items, nextCursor }) => (
          <>
            <Table
              label="Members"
              rows={items}
              keyOf={({ memberId }) => memberId}
              href={({ memberId }) => (seesMembers ? at(`/members/${memberId}`) : null)}
              empty={
                <Empty title="No members yet">Add members of this project, with roles in this organization.</Empty>
              }
              columns={[
                { name: 'Member', cell: shownName },
                { name: 'Status', wide: true, cell: ({ status }) => <StateBadge state={status} /> },
                {
                  name: 'Roles',
                  cell: ({ roles }) => <OrganizationRoleNames roles={roles} />,
                },
                { name: 'Joined', wide: true, cell: ({ joinedAt }) => <Time at={joinedAt} /> },
                {
                  name: '',
                  align: 'right',
                  cell: (member) => canWrite && <MemberActions organization={organization} member={member} />,
                },
              ]}
            />
            <Pager nextCursor={nextCursor} />
          </>
        )}
      </Loaded>
      {adding && <AddOrganizationMember organization={organization} onClose={close} />}
    </Card>
  );
}

function MemberActions({ organization, member }: { organization: Organization; member: OrganizationMember }) {
  const [changing, { open, close }] = useDisclosure(false);
  const remove = useAction(
    useApi().useMutation('delete', '/console/v1/organizations/{organizationId}/members/{memberId}'),
  );
  const name = shownName(member);
  const init = { params: { path: { organizationId: organization.id, memberId: member.memberId } } };
  const onRemove = () =>
    remove.run(init, {
      done: `${name} removed`,
      question: {
        title: `Remove ${name} from ${organization.name}?`,
        body: 'They lose their roles in this organization and stay a member of this project.',
        action: 'Remove',
        danger: true,
      },
    });
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Button variant="subtle" color="gray" size="compact-xs" aria-label={`Roles of ${name}`} onClick={open}>
        Roles
      </Button>
      <Button variant="subtle" color="gray" size="compact-xs" aria-label={`Remove ${name}`} onClick={onRemove}>
        Remove
      </Button>
      {changing && <RolesInOrganization path={init.params.path} name={name} roles={member.roles} onClose={close} />}
    </Group>
  );
}
