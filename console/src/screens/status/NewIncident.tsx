import { Button, Group, Modal, MultiSelect, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { sentence } from '#ui/badge.tsx';

const SEVERITIES = ['minor', 'major', 'critical'] as const;

export function useComponentChoices(): { value: string; label: string }[] {
  const components = useApi().useQuery('get', '/console/v1/status/components');
  return components.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? [];
}

export function NewIncident({ onClose }: { onClose: () => void }) {
  const [title, setTitle] = useState('');
  const [body, setBody] = useState('');
  const [severity, setSeverity] = useState<(typeof SEVERITIES)[number]>('minor');
  const [componentIds, setComponentIds] = useState<string[]>([]);
  const choices = useComponentChoices();
  const create = useAction(useApi().useMutation('post', '/console/v1/status/incidents'));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const question = {
      title: 'Publish this incident?',
      body: 'It shows on the status page and subscribers are told.',
      action: 'Publish',
    };
    const made = await create.run(
      { body: { title, body, severity, componentIds } },
      { done: 'The incident is public', question },
    );
    if (made) onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={<Text fw={600}>Report an incident</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            data-autofocus
            required
            label="Title"
            placeholder="Mails arrive late"
            maxLength={200}
            value={title}
            onChange={({ currentTarget: { value } }) => setTitle(value)}
          />
          <Textarea
            required
            label="What you know"
            description="What people notice, and when you write next."
            value={body}
            onChange={({ currentTarget: { value } }) => setBody(value)}
          />
          <Select
            label="Severity"
            allowDeselect={false}
            data={SEVERITIES.map((value) => ({ value, label: sentence(value) }))}
            value={severity}
            onChange={(value) => setSeverity(SEVERITIES.find((known) => known === value) ?? severity)}
          />
          <MultiSelect label="Components" data={choices} value={componentIds} onChange={setComponentIds} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.busy}>
              Publish
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
