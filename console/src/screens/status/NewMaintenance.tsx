import { MultiSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { useComponentChoices } from './componentStatus.tsx';

export function NewMaintenance({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState({ title: '', body: '', beginsAt: '', endsAt: '' });
  const [componentIds, setComponentIds] = useState<string[]>([]);
  const choices = useComponentChoices();
  const { faults, onProblem } = useFaults();
  const create = useAction(useApi().useMutation('post', '/console/v1/status/maintenances'));
  const set = (changes: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...changes }));
  const submit = async () => {
    const { title, body, beginsAt, endsAt } = draft;
    const times = { beginsAt: new Date(beginsAt).toISOString(), endsAt: new Date(endsAt).toISOString() };
    const question = {
      title: 'Announce this maintenance?',
      body: 'It appears on the status page, and subscribers are notified.',
      action: 'Announce',
    };
    const made = await create.run(
      { body: { title, body, componentIds, ...times } },
      { done: 'Maintenance announced', question, onProblem },
    );
    if (made) onClose();
  };
  return (
    <FormDialog title="Plan maintenance" action="Announce" busy={create.busy} onSubmit={submit} onClose={onClose}>
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
        onChange={({ currentTarget: { value } }) => set({ beginsAt: value })}
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
