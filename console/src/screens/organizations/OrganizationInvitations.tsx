import { Button, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { Organization } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { Empty, Needs } from '#ui/states.tsx';
import { InvitationList } from '../people/Invitations.tsx';
import { OrganizationPage } from './OrganizationPage.tsx';
import { OrganizationRoleNames, RoleChoices } from './RoleChoices.tsx';

export function OrganizationInvitations() {
  const [open, { open: show, close }] = useDisclosure(false);
  const mayInvite = useCan('invitations:write');
  const mayAdd = useCan('organizations:write');
  const canWrite = mayInvite && mayAdd;
  const invite = canWrite ? <Button onClick={show}>Invite a member</Button> : null;
  return (
    <OrganizationPage actions={() => invite}>
      {({ organization }) => (
        <Needs permission="invitations:read">
          <InvitationList
            organizationId={organization.id}
            canWrite={canWrite}
            rolesOf={({ organizationRoles }) => <OrganizationRoleNames roles={organizationRoles} />}
            empty={
              <Empty title="No invitations" action={invite}>
                One mail invites a person to this project and this organization.
              </Empty>
            }
          />
          {open && <Invite organization={organization} onClose={close} />}
        </Needs>
      )}
    </OrganizationPage>
  );
}

function Invite({ organization, onClose }: { organization: Organization; onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [organizationRoles, setRoles] = useState<string[]>([]);
  const { faults, onProblem } = useFaults('email');
  const create = useAction(useApi().useMutation('post', '/console/v1/invitations'));
  const submit = async () => {
    const body = { email, organizationId: organization.id, organizationRoles };
    if (await create.run({ body }, { done: `Invited ${email}`, change: 'Invite', onProblem })) onClose();
  };
  return (
    <FormDialog
      title={`Invite a member to ${organization.name}`}
      action="Invite"
      busy={create.busy}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        required
        type="email"
        label="Email"
        value={email}
        error={faults['email']}
        onChange={({ currentTarget: { value } }) => setEmail(value)}
      />
      <RoleChoices chosen={organizationRoles} onChange={setRoles} />
    </FormDialog>
  );
}
