import { Select } from '@mantine/core';
import { useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { TemplateFields, type TemplateValues } from './TemplateFields.tsx';

export const KINDS = [
  { value: 'incident', label: 'Incident' },
  { value: 'maintenance', label: 'Maintenance' },
] as const;

const EMPTY: TemplateValues = {
  kind: 'incident',
  name: '',
  title: '',
  body: '',
  severity: 'minor',
  componentIds: [],
  durationMinutes: null,
};

export function NewTemplate({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState(EMPTY);
  const { faults, onProblem } = useFaults('name');
  const create = useAction(useApi().useMutation('post', '/console/v1/status/templates'));
  const submit = async () => {
    const made = await create.run(
      { body: values },
      { done: `${values.name} added`, change: 'Add template', onProblem },
    );
    if (made) onClose();
  };
  return (
    <FormDialog title="Add a template" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <Select
        label="For"
        allowDeselect={false}
        data={[...KINDS]}
        value={values.kind}
        onChange={(value) => {
          const maintenance = value === 'maintenance';
          setValues((before) => ({
            ...before,
            kind: maintenance ? 'maintenance' : 'incident',
            severity: maintenance ? null : 'minor',
            durationMinutes: null,
          }));
        }}
      />
      <TemplateFields
        values={values}
        faults={faults}
        onChange={(changes) => setValues((before) => ({ ...before, ...changes }))}
      />
    </FormDialog>
  );
}
