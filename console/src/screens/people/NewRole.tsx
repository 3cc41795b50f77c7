import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Problem } from '#api/problem.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';

type DialogProps = {
  title: string;
  fields: readonly { name: string; label: string; description?: string; required?: boolean }[];
  busy: boolean;
  /** @returns whether it was made */
  onSubmit: (values: Record<string, string>, onProblem: (problem: Problem) => boolean) => Promise<boolean>;
  onClose: () => void;
};

/** A small form of text fields in a dialog; faults of a field stand beside it. */
function FieldsDialog({ title, fields, busy, onSubmit, onClose }: DialogProps) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [errors, setErrors] = useState<Record<string, string>>({});
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const made = await onSubmit(values, ({ fields: faults }) => {
      setErrors(faults);
      return Object.keys(faults).length > 0;
    });
    if (made) onClose();
  };
  return (
    <Modal opened onClose={onClose} title={<Text fw={600}>{title}</Text>} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {fields.map(({ name, ...field }, index) => (
            <TextInput
              key={name}
              {...field}
              data-autofocus={index === 0 || undefined}
              value={values[name] ?? ''}
              error={errors[name]}
              onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, [name]: value }))}
            />
          ))}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={busy}>
              Add
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

export function NewRole({ onClose }: { onClose: () => void }) {
  const create = useAction(useApi().useMutation('post', '/console/v1/roles'));
  return (
    <FieldsDialog
      title="Add a role"
      busy={create.busy}
      onClose={onClose}
      fields={[
        { name: 'name', label: 'Name', required: true },
        {
          name: 'key',
          label: 'Key',
          required: true,
          description: 'What your code checks, such as editor. It can’t be changed.',
        },
        { name: 'description', label: 'What it is for' },
      ]}
      onSubmit={async ({ name = '', key = '', description }, onProblem) =>
        (await create.run(
          { body: { name, key, ...(description && { description }) } },
          { done: `Role ${name} added`, change: 'Add role', onProblem },
        )) !== null
      }
    />
  );
}

export function NewPermission({ onClose }: { onClose: () => void }) {
  const create = useAction(useApi().useMutation('post', '/console/v1/permissions'));
  return (
    <FieldsDialog
      title="Add a permission"
      busy={create.busy}
      onClose={onClose}
      fields={[
        {
          name: 'key',
          label: 'Key',
          required: true,
          description: 'Thing and deed, such as orders:refund. It can’t be changed.',
        },
        { name: 'description', label: 'What it allows', required: true },
      ]}
      onSubmit={async ({ key = '', description = '' }, onProblem) =>
        (await create.run(
          { body: { key, description } },
          { done: `Permission ${key} added`, change: 'Add permission', onProblem },
        )) !== null
      }
    />
  );
}
