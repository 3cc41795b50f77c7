import { MultiSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { localInput } from '#ui/moments.ts';
import { useComponentChoices } from './componentStatus.tsx';
import { filled } from './placeholders.ts';
import { TemplateChoice } from './TemplateChoice.tsx';
import { useAnnouncement } from './told.tsx';

export function NewMaintenance({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState({ title: '', body: '', beginsAt: '', endsAt: '' });
  const [componentIds, setComponentIds] = useState<string[]>([]);
  const choices = useComponentChoices();
  const [minutes, setMinutes] = useState<number | null>(null);
  const announcement = useAnnouncement();
  const { faults, onProblem } = useFaults();
  const create = useAction(useApi().useMutation('post', '/console/v1/status/maintenances'));
  const set = (changes: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...changes }));
  const submit = async () => {
    const [begins, ends] = [new Date(draft.beginsAt), new Date(draft.endsAt)];
    const components = choices.filter(({ value }) => componentIds.includes(value)).map(({ label }) => label);
    const values = { components, begins, ends };
    const written = { title: filled(draft.title, values), body: filled(draft.body, values), componentIds };
    const made = await create.run(
      { body: { ...written, beginsAt: begins.toISOString(), endsAt: ends.toISOString() } },
      {
        done: 'Maintenance announced',
        question: await announcement(
          { title: `Announce “${written.title}”?`, action: 'Announce' },
          { kind: 'maintenance', phase: 'scheduled', ...written },
        ),
        onProblem,
      },
    );
    if (made) onClose();
  };
  return (
    <FormDialog title="Plan maintenance" action="Announce" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <TemplateChoice
        kind="maintenance"
        onChoose={(template) => {
          set({ title: template.title, body: template.body, ...endOf(draft.beginsAt, template.durationMinutes) });
          setComponentIds(template.componentIds);
          setMinutes(template.durationMinutes);
        }}
      />
      <TextInput
        data-autofocus
        required
        label="Title"
        value={draft.title}
        error={faults['title']}
        onChange={({ currentTarget: { value } }) => set({ title: value })}
      />
      <Textarea
        required
        label="Message"
        value={draft.body}
        error={faults['body']}
        onChange={({ currentTarget: { value } }) => set({ body: value })}
      />
      <TextInput
        required
        type="datetime-local"
        label="Starts"
        value={draft.beginsAt}
        error={faults['beginsAt']}
        onChange={({ currentTarget: { value } }) => set({ beginsAt: value, ...endOf(value, minutes) })}
      />
      <TextInput
        required
        type="datetime-local"
        label="Ends"
        value={draft.endsAt}
        error={faults['endsAt']}
        onChange={({ currentTarget: { value } }) => set({ endsAt: value })}
      />
      <MultiSelect
        searchable
        required
        label="Components"
        data={choices}
        value={componentIds}
        onChange={setComponentIds}
      />
    </FormDialog>
  );
}

/** The end of a maintenance that begins then and lasts as long as its template says. */
function endOf(beginsAt: string, minutes: number | null): { endsAt?: string } {
  const begins = Date.parse(beginsAt);
  if (Number.isNaN(begins) || minutes === null) return {};
  return { endsAt: localInput(new Date(begins + minutes * 60_000).toISOString()) };
}
