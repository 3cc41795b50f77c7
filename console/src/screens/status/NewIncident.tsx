import { Select, Switch, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { sentence } from '#ui/badge.tsx';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { ComponentsSaid, type Said } from './componentStatus.tsx';

export const severities = ['minor', 'major', 'critical'] as const;

type Draft = {
  title: string;
  body: string;
  severity: (typeof severities)[number];
  componentIds: string[];
  componentStatuses: Said;
  draft: boolean;
};

const EMPTY: Draft = { title: '', body: '', severity: 'minor', componentIds: [], componentStatuses: {}, draft: false };

const publishing = {
  title: 'Publish this incident?',
  body: 'It appears on the status page, and subscribers are notified.',
  action: 'Publish',
};

export function NewIncident({ onClose }: { onClose: () => void }) {
  const [incident, setIncident] = useState(EMPTY);
  const { faults, onProblem } = useFaults();
  const create = useAction(useApi().useMutation('post', '/console/v1/status/incidents'));
  const set = (changes: Partial<Draft>) => setIncident((before) => ({ ...before, ...changes }));
  const { title, body, severity, componentIds, componentStatuses, draft } = incident;
  const submit = async () => {
    const made = await create.run(
      { body: incident },
      draft
        ? { done: 'Draft saved', change: 'Save draft', onProblem }
        : { done: 'Incident published', question: publishing, onProblem },
    );
    if (made) onClose();
  };
  return (
    <FormDialog
      title="Report an incident"
      action={draft ? 'Save draft' : 'Publish'}
      busy={create.busy}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        required
        label="Title"
        placeholder="Mail delivery is delayed"
        maxLength={200}
        value={title}
        error={faults['title']}
        onChange={({ currentTarget: { value } }) => set({ title: value })}
      />
      <Textarea
        required
        label="Message"
        description="The impact, and when to expect the next update."
        value={body}
        error={faults['body']}
        onChange={({ currentTarget: { value } }) => set({ body: value })}
      />
      <Select
        label="Severity"
        allowDeselect={false}
        data={severities.map((value) => ({ value, label: sentence(value) }))}
        value={severity}
        onChange={(value) => set({ severity: severities.find((known) => known === value) ?? severity })}
      />
      <ComponentsSaid
        ids={componentIds}
        said={componentStatuses}
        onChange={(ids, said) => set({ componentIds: ids, componentStatuses: said })}
      />
      <Switch
        label="Save as draft"
        description="A draft isn’t public, and nobody is notified until you publish it."
        checked={draft}
        onChange={({ currentTarget: { checked } }) => set({ draft: checked })}
      />
    </FormDialog>
  );
}
