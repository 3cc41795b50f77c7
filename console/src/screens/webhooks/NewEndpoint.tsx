import { Button, Group, Modal, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { SecretOnce } from '#ui/SecretOnce.tsx';
import { useEventTypes } from './eventTypes.ts';

export function NewEndpoint({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<string[]>(['user.*']);
  const [description, setDescription] = useState('');
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [made, setMade] = useState<{ id: string; secret: string } | null>(null);
  const create = useAction(useApi().useMutation('post', '/console/v1/webhooks/endpoints'));
  const { choices } = useEventTypes();
  const navigate = useNavigate();
  const at = useAt();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const onProblem = ({ fields }: { fields: Record<string, string> }) => {
      setErrors(fields);
      return Object.keys(fields).length > 0;
    };
    setMade(
      await create.run(
        { body: { url, events, description } },
        { done: 'Endpoint added', change: 'Add endpoint', onProblem },
      ),
    );
  };
  if (made)
    return (
      <SecretOnce
        title="Signing secret"
        secret={made.secret}
        onClose={() => navigate({ to: at(`/webhooks/${made.id}`) })}
      />
    );
  return (
    <Modal
      opened
      onClose={onClose}
      title={<Text fw={600}>Add an endpoint</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            data-autofocus
            required
            type="url"
            label="Address"
            placeholder="https://api.example.com/latchkey"
            value={url}
            error={errors['url']}
            onChange={({ currentTarget: { value } }) => setUrl(value)}
          />
          <TagsInput
            label="Events"
            description="Types, or groups such as user.* — Enter adds one."
            data={choices}
            value={events}
            error={errors['events']}
            onChange={setEvents}
          />
          <TextInput
            label="What it is for"
            value={description}
            onChange={({ currentTarget: { value } }) => setDescription(value)}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.busy}>
              Add
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
