import { MultiSelect, Select, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { sentence } from '#ui/badge.tsx';
import { FormDialog, useFaults } from '#ui/dialog.tsx';

const SEVERITIES = ['minor', 'major', 'critical'] as const;

export function useComponentChoices(): { value: string; label: string }[] {
  const components = useApi().useQuery('get', '/console/v1/status/components', { params: { query: { limit: 100 } } });
  return components.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? [];
}

export function NewIncident({ onClose }: { onClose: () => void }) {
  const [title, setTitle] = useState('');
  const [body, setBody] = useState('');
  const [severity, setSeverity] = useState<(typeof SEVERITIES)[number]>('minor');
  const [componentIds, setComponentIds] = useState<string[]>([]);
  const choices = useComponentChoices();
  const { faults, onProblem } = useFaults();
  const create = useAction(useApi().useMutation('post', '/console/v1/status/incidents'));
  const submit = async () => {
    const question = {
      title: 'Publish this incident?',
      body: 'It shows on the status page and subscribers are told.',
      action: 'Publish',
    };
    const made = await create.run(
      { body: { title, body, severity, componentIds } },
      { done: 'The incident is public', question, onProblem },
    );
    if (made) onClose();
  };
  return (
    <FormDialog title="Report an incident" action="Publish" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label="Title"
        placeholder="Mails arrive late"
        maxLength={200}
        value={title}
        error={faults['title']}
        onChange={({ currentTarget: { value } }) => setTitle(value)}
      />
      <Textarea
        required
        label="What you know"
        description="What people notice, and when you write next."
        value={body}
        error={faults['body']}
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
    </FormDialog>
  );
}
