import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Member } from '#api/records.ts';
import { useApi, useCan, useClient } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { StateBadge, sentence } from '#ui/badge.tsx';
import { Copy } from '#ui/copy.tsx';
import { ChoiceFilter, TextFilter } from '#ui/filters.tsx';
import { List } from '#ui/list.tsx';
import { Page } from '#ui/page.tsx';
import { useFilters, useNewDialog } from '#ui/search.ts';
import { Empty } from '#ui/states.tsx';
import type { Column } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { ExportMembers } from './ExportMembers.tsx';
import { memberStatuses, nameOf } from './members.ts';
import { useMemberActions } from './members-in-bulk.tsx';
import { NewMember } from './NewMember.tsx';
import { RoleNames, useRoles } from './RoleNames.tsx';

const columns: readonly Column<Member>[] = [
  { name: 'Member', value: nameOf, cell: (member) => <Who member={member} /> },
  { name: 'Email', extra: true, wide: true, value: ({ email }) => email, cell: ({ email }) => email ?? '–' },
  { name: 'Phone', extra: true, wide: true, value: ({ phone }) => phone, cell: ({ phone }) => phone ?? '–' },
  {
    name: 'Username',
    extra: true,
    wide: true,
    value: ({ username }) => username,
    cell: ({ username }) => username ?? '–',
  },
  { name: 'Status', value: ({ status }) => status, cell: ({ status }) => <StateBadge state={status} /> },
  {
    name: 'Roles',
    wide: true,
    value: ({ roles }) => roles.join(' '),
    cell: ({ roles }) => <RoleNames roles={roles} />,
  },
  {
    name: 'Second factor',
    wide: true,
    value: ({ mfaEnabled }) => mfaEnabled,
    cell: ({ mfaEnabled }) => (mfaEnabled ? 'On' : 'Off'),
  },
  {
    name: 'Member id',
    extra: true,
    wide: true,
    value: ({ id }) => id,
    cell: ({ id }) => (
      <span data-above>
        <Copy value={id} />
      </span>
    ),
  },
  {
    name: 'Last seen',
    wide: true,
    value: ({ lastSeenAt }) => lastSeenAt,
    cell: ({ lastSeenAt }) => <Time at={lastSeenAt} none="Never" />,
  },
  {
    name: 'Joined',
    wide: true,
    align: 'right',
    sorts: true,
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
];

export function Members() {
  const [filters] = useFilters();
  const { q, role, cursor, sort } = filters;
  const status = memberStatuses.find((known) => known === filters['status']);
  const wanted = { ...(q && { q }), ...(role && { role }), ...(status && { status }) };
  const order = sort === 'Joined' ? ('oldest' as const) : ('newest' as const);
  const api = useApi();
  const client = useClient();
  const keep = { placeholderData: <T,>(before: T) => before };
  const members = api.useQuery(
    'get',
    '/console/v1/members',
    { params: { query: { limit: 50, order, ...wanted, ...(cursor && { cursor }) } } },
    keep,
  );
  const total = api.useQuery('get', '/console/v1/members/count', { params: { query: wanted } }, keep);
  const at = useAt();
  const roles = useRoles();
  const [open, { open: show, close }] = useNewDialog();
  const bulk = useMemberActions();
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
      <List
        label="Members"
        query={members}
        columns={q ? columns.map((column) => ({ ...column, sorts: false })) : columns}
        keyOf={({ id }) => id}
        href={({ id }) => at(`/members/${id}`)}
        empty={q || role || status ? <Empty title="No members match these filters" /> : <NoMembers />}
        bulk={bulk}
        total={total.data}
        readPage={(page) => client.GET('/console/v1/members', { params: { query: { order, ...wanted, ...page } } })}
        filters={
          <>
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
          </>
        }
      />
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
