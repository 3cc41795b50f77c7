import { Button, Group, Modal, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { useEventTypes } from './eventTypes.ts';

/** Sends the events of a time again, to one endpoint. */
export function Replay({ endpointId, onClose }: { endpointId: string; onClose: () => void }) {
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const [types, setTypes] = useState<string[]>([]);
  const { types: known } = useEventTypes();
  const replay = useAction(useApi().useMutation('post', '/console/v1/webhooks/endpoints/{endpointId}/replay'));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = {
      since: new Date(since).toISOString(),
      ...(until && { until: new Date(until).toISOString() }),
      ...(types.length > 0 && { types }),
    };
    const accepted = await replay.run(
      { params: { path: { endpointId } }, body },
      { done: 'The events are on their way again', change: 'Replay' },
    );
    if (accepted) onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={<Text fw={600}>Replay events</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">Each event keeps its id, so a receiver that remembers ids does nothing twice.</Text>
          <TextInput
            required
            type="datetime-local"
            label="From"
            value={since}
            onChange={({ currentTarget: { value } }) => setSince(value)}
          />
          <TextInput
            type="datetime-local"
            label="Until"
            description="Empty: until now."
            value={until}
            onChange={({ currentTarget: { value } }) => setUntil(value)}
          />
          <TagsInput
            label="Types"
            description="None: all that the endpoint wants."
            data={known.map(({ type }) => type)}
            value={types}
            onChange={setTypes}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={replay.busy}>
              Replay
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
