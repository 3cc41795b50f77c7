import { Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { TeamRole } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { sentence } from '#ui/badge.tsx';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { isTeamRole, teamRoles } from './roles.ts';

export function InviteToTeam({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<TeamRole>('developer');
  const { faults, onProblem } = useFaults('email');
  const invite = useAction(useApi().useMutation('post', '/console/v1/team/invitations'));
  const submit = async () => {
    if (await invite.run({ body: { email, role } }, { done: `Invited ${email}`, onProblem })) onClose();
  };
  return (
    <FormDialog title="Invite to the team" action="Invite" busy={invite.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        type="email"
        label="Email"
        value={email}
        error={faults['email']}
        onChange={({ currentTarget: { value } }) => setEmail(value)}
      />
      <Select
        label="Role"
        allowDeselect={false}
        data={teamRoles.map((value) => ({ value, label: sentence(value) }))}
        value={role}
        onChange={(value) => setRole(isTeamRole(value) ? value : role)}
      />
    </FormDialog>
  );
}
