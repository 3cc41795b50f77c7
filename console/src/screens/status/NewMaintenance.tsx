import { Button, Group, Modal, MultiSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { useComponentChoices } from './NewIncident.tsx';

export function NewMaintenance({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState({ title: '', body: '', beginsAt: '', endsAt: '' });
  const [componentIds, setComponentIds] = useState<string[]>([]);
  const choices = useComponentChoices();
  const create = useAction(useApi().useMutation('post', '/console/v1/status/maintenances'));
  const set = (changes: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...changes }));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { title, body, beginsAt, endsAt } = draft;
    const times = { beginsAt: new Date(beginsAt).toISOString(), endsAt: new Date(endsAt).toISOString() };
    const question = {
      title: 'Announce this maintenance?',
      body: 'It shows on the status page and subscribers are told.',
      action: 'Announce',
    };
    const made = await create.run(
      { body: { title, body, componentIds, ...times } },
      { done: 'The maintenance is announced', question },
    );
    if (made) onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={<Text fw={600}>Plan maintenance</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            data-autofocus
            required
            label="Title"
            value={draft.title}
            onChange={({ currentTarget: { value } }) => set({ title: value })}
          />
          <Textarea
            required
            label="What will happen"
            value={draft.body}
            onChange={({ currentTarget: { value } }) => set({ body: value })}
          />
          <TextInput
            required
            type="datetime-local"
            label="Begins"
            value={draft.beginsAt}
            onChange={({ currentTarget: { value } }) => set({ beginsAt: value })}
          />
          <TextInput
            required
            type="datetime-local"
            label="Ends"
            value={draft.endsAt}
            onChange={({ currentTarget: { value } }) => set({ endsAt: value })}
          />
          <MultiSelect required label="Components" data={choices} value={componentIds} onChange={setComponentIds} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.busy}>
              Announce
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
