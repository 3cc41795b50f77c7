import { Select, Switch, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { sentence } from '#ui/badge.tsx';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { ComponentsSaid, type Said, useComponentChoices } from './componentStatus.tsx';
import { filled } from './placeholders.ts';
import { severities } from './severities.ts';
import { TemplateChoice } from './TemplateChoice.tsx';
import { useAnnouncement } from './told.tsx';

type Draft = {
  title: string;
  body: string;
  severity: (typeof severities)[number];
  componentIds: string[];
  componentStatuses: Said;
  draft: boolean;
};

const EMPTY: Draft = { title: '', body: '', severity: 'minor', componentIds: [], componentStatuses: {}, draft: false };

export function NewIncident({ onClose }: { onClose: () => void }) {
  const [incident, setIncident] = useState(EMPTY);
  const { faults, onProblem } = useFaults();
  const create = useAction(useApi().useMutation('post', '/console/v1/status/incidents'));
  const set = (changes: Partial<Draft>) => setIncident((before) => ({ ...before, ...changes }));
  const { title, body, severity, componentIds, componentStatuses, draft } = incident;
  const choices = useComponentChoices();
  const announcement = useAnnouncement();
  const submit = async () => {
    const components = choices.filter(({ value }) => componentIds.includes(value)).map(({ label }) => label);
    const written = { ...incident, title: filled(title, { components }), body: filled(body, { components }) };
    const notice = { kind: 'incident', phase: 'investigating', severity, componentIds } as const;
    const question = { title: `Publish “${written.title}”?`, action: 'Publish' };
    const made = await create.run(
      { body: written },
      draft
        ? { done: 'Draft saved', change: 'Save draft', onProblem }
        : {
            done: 'Incident published',
            question: await announcement(question, { ...notice, title: written.title, body: written.body }),
            onProblem,
          },
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
      <TemplateChoice
        kind="incident"
        onChoose={(template) =>
          set({
            title: template.title,
            body: template.body,
            severity: template.severity ?? 'minor',
            componentIds: template.componentIds,
            componentStatuses: {},
          })
        }
      />
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
