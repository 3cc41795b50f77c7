import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { TeamRole } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { sentence } from '#ui/badge.tsx';
import { isTeamRole, teamRoles } from './roles.ts';

export function InviteToTeam({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<TeamRole>('developer');
  const [error, setError] = useState('');
  const invite = useAction(useApi().useMutation('post', '/console/v1/team/invitations'));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const onProblem = ({ fields, detail }: { fields: Record<string, string>; detail: string }) => {
      setError(fields['email'] ?? detail);
      return true;
    };
    if (await invite.run({ body: { email, role } }, { done: `Invited ${email}`, onProblem })) onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={<Text fw={600}>Invite to the team</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            data-autofocus
            required
            type="email"
            label="Email"
            value={email}
            error={error}
            onChange={({ currentTarget: { value } }) => setEmail(value)}
          />
          <Select
            label="Role"
            allowDeselect={false}
            data={teamRoles.map((value) => ({ value, label: sentence(value) }))}
            value={role}
            onChange={(value) => setRole(isTeamRole(value) ? value : role)}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={invite.busy}>
              Invite
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
