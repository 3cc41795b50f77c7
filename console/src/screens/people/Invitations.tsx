import { Button, Group, MultiSelect, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Invitation } from '#api/records.ts';
import { useApi, useCan, useClient } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { StateBadge, sentence } from '#ui/badge.tsx';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { ChoiceFilter } from '#ui/filters.tsx';
import { List } from '#ui/list.tsx';
import { Page } from '#ui/page.tsx';
import { useFilters, useNewDialog } from '#ui/search.ts';
import { Empty } from '#ui/states.tsx';
import { Below } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { RoleNames, useRoles } from './RoleNames.tsx';

const STATUSES = ['pending', 'accepted', 'declined', 'revoked', 'expired'] as const;

export function Invitations() {
  const [open, { open: show, close }] = useNewDialog();
  const canWrite = useCan('invitations:write');
  const invite = canWrite ? <Button onClick={show}>Invite a member</Button> : null;
  return (
    <Page title="Invitations" about="People who were invited to this project by mail." actions={invite}>
      <InvitationList
        canWrite={canWrite}
        rolesOf={({ roles }) => <RoleNames roles={roles} />}
        empty={
          <Empty title="No invitations" action={invite}>
            An invited person joins with the roles you choose, even if registration is closed.
          </Empty>
        }
      />
      {open && <Invite onClose={close} />}
    </Page>
  );
}

type ListProps = {
  /** Limits the list to one organization. */
  organizationId?: string;
  canWrite: boolean;
  rolesOf: (invitation: Invitation) => ReactNode;
  empty: ReactNode;
};

/** Invitations with a filter, which are resent and revoked here. */
export function InvitationList({ organizationId, canWrite, rolesOf, empty }: ListProps) {
  const [filters] = useFilters();
  const status = STATUSES.find((known) => known === filters['status']);
  const wanted = { ...(organizationId && { organizationId }), ...(status && { status }) };
  const query = { limit: 50, ...wanted, ...(filters['cursor'] && { cursor: filters['cursor'] }) };
  const client = useClient();
  const invitations = useApi().useQuery('get', '/console/v1/invitations', { params: { query } });
  return (
    <List
      query={invitations}
      readPage={(page) => client.GET('/console/v1/invitations', { params: { query: { ...wanted, ...page } } })}
      filters={
        <ChoiceFilter
          name="status"
          label="Status"
          choices={STATUSES.map((value) => ({ value, label: sentence(value) }))}
        />
      }
      label="Invitations"
      keyOf={({ id }) => id}
      empty={status ? <Empty title="No invitations match this filter" /> : empty}
      columns={[
        { name: 'Email', value: ({ email }) => email, cell: (invitation) => <Whom invitation={invitation} /> },
        {
          name: 'Status',
          value: ({ status: state }) => state,
          wide: true,
          cell: ({ status: state }) => <StateBadge state={state} />,
        },
        { name: 'Roles', wide: true, cell: rolesOf },
        {
          name: 'Sent',
          value: ({ createdAt }) => createdAt,
          wide: true,
          cell: ({ createdAt }) => <Time at={createdAt} />,
        },
        {
          name: 'Expires',
          value: ({ expiresAt }) => expiresAt,
          wide: true,
          cell: ({ expiresAt }) => <Time at={expiresAt} />,
        },
        {
          name: '',
          align: 'right',
          cell: (invitation) => canWrite && <InvitationActions invitation={invitation} />,
        },
      ]}
    />
  );
}

/** The address, with the status below it on narrow screens. */
function Whom({ invitation: { email, status } }: { invitation: Invitation }) {
  return (
    <>
      {email}
      <Below>
        <StateBadge state={status} />
      </Below>
    </>
  );
}

function InvitationActions({ invitation: { id, email, status } }: { invitation: Invitation }) {
  const api = useApi();
  const resend = useAction(api.useMutation('post', '/console/v1/invitations/{invitationId}/resend'));
  const revoke = useAction(api.useMutation('delete', '/console/v1/invitations/{invitationId}'));
  const init = { params: { path: { invitationId: id } } };
  if (status !== 'pending' && status !== 'expired') return null;
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        loading={resend.busy}
        aria-label={`Resend the invitation to ${email}`}
        onClick={() => resend.run(init, { done: `Invitation sent to ${email}`, change: 'Resend' })}
      >
        Resend
      </Button>
      {status === 'pending' && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          aria-label={`Revoke the invitation to ${email}`}
          onClick={() =>
            revoke.run(init, {
              done: 'Invitation revoked',
              question: {
                title: `Revoke the invitation to ${email}?`,
                body: 'The link in the mail will stop working.',
                action: 'Revoke',
                danger: true,
              },
            })
          }
        >
          Revoke
        </Button>
      )}
    </Group>
  );
}

function Invite({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [roles, setRoles] = useState<string[]>([]);
  const { faults, onProblem } = useFaults('email');
  const known = useRoles();
  const create = useAction(useApi().useMutation('post', '/console/v1/invitations'));
  const submit = async () => {
    const made = await create.run(
      { body: { email, ...(roles.length > 0 && { roles }) } },
      {
        done: `Invited ${email}`,
        change: 'Invite',
        onProblem,
      },
    );
    if (made) onClose();
  };
  return (
    <FormDialog title="Invite a member" action="Invite" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        type="email"
        label="Email"
        value={email}
        error={faults['email']}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <MultiSelect
        label="Roles"
        description="Without a role they join as a plain member."
        data={known.map(({ key, name }) => ({ value: key, label: name }))}
        value={roles}
        onChange={setRoles}
        clearable
      />
    </FormDialog>
  );
}
