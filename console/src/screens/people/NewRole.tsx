import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Problem } from '#api/problem.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';

type DialogProps = {
  title: string;
  fields: readonly { name: string; label: string; description?: string; required?: boolean }[];
  busy: boolean;
  /** @returns whether the record was created */
  onSubmit: (values: Record<string, string>, onProblem: (problem: Problem) => boolean) => Promise<boolean>;
  onClose: () => void;
};

/** A form of text fields in a dialog; errors are shown next to their field. */
function FieldsDialog({ title, fields, busy, onSubmit, onClose }: DialogProps) {
  const [values, setValues] = useState<Record<string, string>>({});
  const { faults, onProblem } = useFaults();
  const submit = async () => {
    const made = await onSubmit(values, onProblem);
    if (made) onClose();
  };
  return (
    <FormDialog title={title} action="Add" busy={busy} onSubmit={submit} onClose={onClose}>
      {fields.map(({ name, ...field }, index) => (
        <TextInput
          key={name}
          {...field}
          data-autofocus={index === 0 || undefined}
          value={values[name] ?? ''}
          error={faults[name]}
          onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, [name]: value }))}
        />
      ))}
    </FormDialog>
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
          description: 'The key that your code checks, such as editor. It can’t be changed later.',
        },
        { name: 'description', label: 'Description' },
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
          description: 'Resource and action, such as orders:refund. It can’t be changed later.',
        },
        { name: 'description', label: 'Description', required: true },
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
