import { Button, Group, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { TeamMember, TeamRole } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { Badge, StateBadge, sentence } from '#ui/badge.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Loaded, Needs } from '#ui/states.tsx';
import { Below, Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { InviteToTeam } from './InviteToTeam.tsx';
import { RolesOfTeam } from './RolesOfTeam.tsx';
import { isTeamRole, teamRoles } from './roles.ts';
import { TeamTabs } from './TeamTabs.tsx';

export function Team() {
  const [open, { open: show, close }] = useDisclosure(false);
  const canWrite = useCan('team:write');
  return (
    <Page
      title="Team"
      about="Operators of this workspace. Members of a project have no access to the console."
      actions={canWrite && <Button onClick={show}>Invite to the team</Button>}
    >
      <TeamTabs />
      <Needs permission="team:read">
        <TeamMembers canWrite={canWrite} />
        <TeamInvitations canWrite={canWrite} />
        <RolesOfTeam />
      </Needs>
      {open && <InviteToTeam onClose={close} />}
    </Page>
  );
}

function TeamMembers({ canWrite }: { canWrite: boolean }) {
  const [{ cursor }] = useFilters();
  const query = { limit: 50, ...(cursor && { cursor }) };
  const team = useApi().useQuery('get', '/console/v1/team', { params: { query } });
  return (
    <Card flush>
      <Loaded query={team}>
        {({ items, nextCursor }) => (
          <>
            <Table
              label="Team"
              rows={items}
              keyOf={({ id }) => id}
              empty="No team members"
              columns={[
                {
                  name: 'Name',
                  cell: (member) => (
                    <>
                      {member.displayName ?? member.email} {member.you && <Badge>You</Badge>}
                    </>
                  ),
                },
                { name: 'Email', wide: true, cell: ({ email }) => email ?? '–' },
                { name: 'Role', cell: (member) => <RoleOf member={member} canWrite={canWrite} /> },
                { name: 'Since', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
                { name: '', align: 'right', cell: (member) => canWrite && <RemoveFromTeam member={member} /> },
              ]}
            />
            <Pager nextCursor={nextCursor} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

function RoleOf({ member: { id, role, displayName, email }, canWrite }: { member: TeamMember; canWrite: boolean }) {
  const changing = useApi().useMutation('patch', '/console/v1/team/{teamMemberId}');
  const change = useAction(changing);
  const name = displayName ?? email ?? 'this person';
  if (!canWrite) return sentence(role);
  const onChange = (next: string | null) => {
    if (!isTeamRole(next) || next === role) return;
    const question = { title: `Make ${name} ${next}?`, body: 'The change applies immediately.', action: 'Change role' };
    const to = (chosen: TeamRole) => ({ params: { path: { teamMemberId: id } }, body: { role: chosen } });
    const undo = { act: () => changing.mutateAsync(to(role)), done: `${name} is ${role} again` };
    change.run(to(next), { done: `${name} is ${next}`, question, undo }).catch(() => undefined);
  };
  return (
    <Select
      size="xs"
      w={116}
      aria-label={`Role of ${name}`}
      allowDeselect={false}
      data={teamRoles.map((value) => ({ value, label: sentence(value) }))}
      value={role}
      onChange={onChange}
    />
  );
}

function RemoveFromTeam({ member: { id, displayName, email, you } }: { member: TeamMember }) {
  const remove = useAction(useApi().useMutation('delete', '/console/v1/team/{teamMemberId}'));
  const name = displayName ?? email ?? id;
  const question = {
    title: you ? 'Leave the team?' : `Remove ${name} from the team?`,
    body: 'They lose access to the console immediately.',
    action: you ? 'Leave' : 'Remove',
    danger: true,
    typeName: email ?? name,
  };
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-xs"
      aria-label={you ? 'Leave the team' : `Remove ${name}`}
      onClick={() =>
        remove.run({ params: { path: { teamMemberId: id } } }, { done: `${name} removed from the team`, question })
      }
    >
      {you ? 'Leave' : 'Remove'}
    </Button>
  );
}

function TeamInvitations({ canWrite }: { canWrite: boolean }) {
  const api = useApi();
  const invitations = api.useQuery('get', '/console/v1/team/invitations', { params: { query: { limit: 50 } } });
  const resend = useAction(api.useMutation('post', '/console/v1/team/invitations/{teamInvitationId}/resend'));
  const revoke = useAction(api.useMutation('delete', '/console/v1/team/invitations/{teamInvitationId}'));
  const actions = (id: string, email: string) => (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        aria-label={`Resend the invitation to ${email}`}
        onClick={() =>
          resend.run({ params: { path: { teamInvitationId: id } } }, { done: `Invitation sent to ${email}` })
        }
      >
        Resend
      </Button>
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        aria-label={`Revoke the invitation to ${email}`}
        onClick={() =>
          revoke.run(
            { params: { path: { teamInvitationId: id } } },
            {
              done: 'Invitation revoked',
              question: { title: `Revoke the invitation to ${email}?`, action: 'Revoke', danger: true },
            },
          )
        }
      >
        Revoke
      </Button>
    </Group>
  );
  return (
    <Card flush title="Invitations to the team">
      <Loaded query={invitations}>
        {({ items }) => (
          <Table
            label="Invitations to the team"
            rows={items}
            keyOf={({ id }) => id}
            empty="No invitations"
            columns={[
              {
                name: 'Email',
                cell: ({ email, role, status }) => (
                  <>
                    {email}
                    <Below>
                      {sentence(role)} <StateBadge state={status} />
                    </Below>
                  </>
                ),
              },
              { name: 'Role', wide: true, cell: ({ role }) => sentence(role) },
              { name: 'Status', wide: true, cell: ({ status }) => <StateBadge state={status} /> },
              { name: 'Expires', wide: true, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
              {
                name: '',
                align: 'right',
                cell: ({ id, email, status }) => canWrite && status === 'pending' && actions(id, email),
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
