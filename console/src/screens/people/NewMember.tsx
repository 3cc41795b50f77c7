import { MultiSelect, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { useRoles } from './RoleNames.tsx';

const FIELDS = [
  { name: 'email', label: 'Email', type: 'email' },
  { name: 'phone', label: 'Phone', type: 'tel' },
  { name: 'username', label: 'Username', type: 'text' },
  { name: 'displayName', label: 'Name', type: 'text' },
] as const;

/** Adds a member directly, without an invitation. They sign in with a mailed code or set a password with a reset. */
export function NewMember({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState({ email: '', phone: '', username: '', displayName: '' });
  const [roles, setRoles] = useState<string[]>([]);
  const { faults, onProblem } = useFaults('email');
  const known = useRoles();
  const create = useAction(useApi().useMutation('post', '/console/v1/members'));
  const navigate = useNavigate();
  const at = useAt();
  const submit = async () => {
    const { email, phone, username, displayName } = values;
    const body = {
      ...(email && { email }),
      ...(phone && { phone }),
      ...(username && { username }),
      ...(displayName && { displayName }),
      ...(roles.length > 0 && { roles }),
    };
    const made = await create.run(
      { body },
      {
        done: 'Member added',
        change: 'Add member',
        onProblem,
      },
    );
    if (made) await navigate({ to: at(`/members/${made.id}`) });
  };
  return (
    <FormDialog title="Add a member" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <Text size="sm" c="var(--lk-quiet)">
        Enter at least an email, phone or username. No message is sent; to notify a person by mail, invite them.
      </Text>
      {FIELDS.map(({ name, label, type }, index) => (
        <TextInput
          key={name}
          data-autofocus={index === 0 || undefined}
          type={type}
          label={label}
          placeholder={name === 'phone' ? '+4915112345678' : undefined}
          value={values[name]}
          error={faults[name]}
          onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, [name]: value }))}
        />
      ))}
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
