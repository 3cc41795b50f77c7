import { TagsInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { useEventTypes } from './eventTypes.ts';

/** Sends the events of a period to an endpoint again. */
export function Replay({ endpointId, onClose }: { endpointId: string; onClose: () => void }) {
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const [types, setTypes] = useState<string[]>([]);
  const { types: known } = useEventTypes();
  const { faults, onProblem } = useFaults();
  const replay = useAction(useApi().useMutation('post', '/console/v1/webhooks/endpoints/{endpointId}/replay'));
  const submit = async () => {
    const body = {
      since: new Date(since).toISOString(),
      ...(until && { until: new Date(until).toISOString() }),
      ...(types.length > 0 && { types }),
    };
    const accepted = await replay.run(
      { params: { path: { endpointId } }, body },
      { done: 'Replay started', change: 'Replay', onProblem },
    );
    if (accepted) onClose();
  };
  return (
    <FormDialog title="Replay events" action="Replay" busy={replay.busy} onSubmit={submit} onClose={onClose}>
      <Text size="sm">Each event keeps its id, so your back end can ignore events it already processed.</Text>
      <TextInput
        required
        type="datetime-local"
        label="From"
        value={since}
        error={faults['since']}
        onChange={({ currentTarget: { value } }) => setSince(value)}
      />
      <TextInput
        type="datetime-local"
        label="Until"
        description="Leave empty for now."
        value={until}
        error={faults['until']}
        onChange={({ currentTarget: { value } }) => setUntil(value)}
      />
      <TagsInput
        label="Types"
        description="Leave empty for all events of the endpoint."
        data={known.map(({ type }) => type)}
        value={types}
        error={faults['types']}
        onChange={setTypes}
      />
    </FormDialog>
  );
}

/** Sends everything again that an endpoint missed since a time. */
export function Recover({ endpointId, onClose }: { endpointId: string; onClose: () => void }) {
  const [since, setSince] = useState('');
  const { faults, onProblem } = useFaults('since');
  const recover = useAction(useApi().useMutation('post', '/console/v1/webhooks/endpoints/{endpointId}/recover'));
  const submit = async () => {
    const accepted = await recover.run(
      { params: { path: { endpointId } }, body: { since: new Date(since).toISOString() } },
      { done: 'Missed events are sent again', change: 'Retry all', onProblem },
    );
    if (accepted) onClose();
  };
  return (
    <FormDialog
      title="Retry all that failed"
      action="Retry all"
      busy={recover.busy}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text size="sm">Sends every event since then that this endpoint has not received. Each keeps its id.</Text>
      <TextInput
        required
        data-autofocus
        type="datetime-local"
        label="Since"
        value={since}
        error={faults['since']}
        onChange={({ currentTarget: { value } }) => setSince(value)}
      />
    </FormDialog>
  );
}
