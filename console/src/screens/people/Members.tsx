import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import type { Member } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { StateBadge, sentence } from '#ui/badge.tsx';
import { ChoiceFilter, FilterBar, TextFilter } from '#ui/filters.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { type Column, Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { ExportMembers } from './ExportMembers.tsx';
import { memberStatuses, nameOf } from './members.ts';
import { NewMember } from './NewMember.tsx';
import { RoleNames, useRoles } from './RoleNames.tsx';

const columns: readonly Column<Member>[] = [
  { name: 'Member', cell: (member) => <Who member={member} /> },
  { name: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
  { name: 'Roles', wide: true, cell: ({ roles }) => <RoleNames roles={roles} /> },
  { name: 'Second factor', wide: true, cell: ({ mfaEnabled }) => (mfaEnabled ? 'On' : 'Off') },
  { name: 'Last seen', wide: true, cell: ({ lastSeenAt }) => <Time at={lastSeenAt} none="Never" /> },
  { name: 'Joined', wide: true, align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

export function Members() {
  const [filters] = useFilters();
  const { q, role, cursor } = filters;
  const status = memberStatuses.find((known) => known === filters['status']);
  const query = {
    limit: 50,
    ...(q && { q }),
    ...(role && { role }),
    ...(cursor && { cursor }),
    ...(status && { status }),
  };
  const members = useApi().useQuery(
    'get',
    '/console/v1/members',
    { params: { query } },
    { placeholderData: (before) => before },
  );
  const at = useAt();
  const roles = useRoles();
  const filtered = Boolean(q ?? role ?? status);
  const [open, { open: show, close }] = useDisclosure(false);
  return (
    <Page
      title="Members"
      about="Members of this project in this environment."
      actions={
        <>
          <MoveButtons />
          <AddButton onClick={show} />
          <InviteLink />
        </>
      }
    >
      <Card flush>
        <FilterBar>
          <TextFilter name="q" label="Name, email, phone or id" width={280} />
          <ChoiceFilter
            name="status"
            label="Status"
            choices={memberStatuses.map((value) => ({ value, label: sentence(value) }))}
            width={130}
          />
          <ChoiceFilter
            name="role"
            label="Role"
            choices={roles.map(({ key, name }) => ({ value: key, label: name }))}
          />
        </FilterBar>
        <Loaded query={members}>
          {({ items, nextCursor }) => (
            <>
              <Table
                label="Members"
                rows={items}
                columns={columns}
                keyOf={({ id }) => id}
                href={({ id }) => at(`/members/${id}`)}
                empty={filtered ? <Empty title="No members match these filters" /> : <NoMembers />}
              />
              <Pager nextCursor={nextCursor} />
            </>
          )}
        </Loaded>
      </Card>
      {open && <NewMember onClose={close} />}
    </Page>
  );
}

/** Export and import. */
function MoveButtons() {
  const at = useAt();
  return useCan('members:import') ? (
    <>
      <ExportMembers />
      <Button variant="default" component={Link} to={at('/members/import')}>
        Import
      </Button>
    </>
  ) : null;
}

function AddButton({ onClick }: { onClick: () => void }) {
  return useCan('members:write') ? (
    <Button variant="default" onClick={onClick}>
      Add member
    </Button>
  ) : null;
}

function Who({ member }: { member: Member }) {
  const name = nameOf(member);
  return (
    <>
      {name}
      {member.email && member.email !== name && (
        <Text component="span" display="block" size="xs" c="var(--lk-quiet)" fw={400}>
          {member.email}
        </Text>
      )}
    </>
  );
}

function InviteLink() {
  const at = useAt();
  return useCan('invitations:write') ? (
    <Button component={Link} to={at('/invitations')}>
      Invite
    </Button>
  ) : null;
}

function NoMembers() {
  return (
    <Empty title="No members yet" action={<InviteLink />}>
      People become members when they register, accept an invitation or are imported.
    </Empty>
  );
}
