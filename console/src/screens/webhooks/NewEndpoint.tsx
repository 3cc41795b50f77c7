import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi, useCan } from '#api/scope.tsx';
import { OrganizationSelect } from '#screens/organizations/OrganizationSelect.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { SecretOnce } from '#ui/SecretOnce.tsx';
import { EventTree } from './EventTree.tsx';

export function NewEndpoint({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<string[]>(['user.*']);
  const [description, setDescription] = useState('');
  const [organizationId, setOrganizationId] = useState<string | null>(null);
  const readsOrganizations = useCan('organizations:read');
  const { faults, onProblem } = useFaults();
  const [made, setMade] = useState<{ id: string; secret: string } | null>(null);
  const create = useAction(useApi().useMutation('post', '/console/v1/webhooks/endpoints'));
  const navigate = useNavigate();
  const at = useAt();
  const submit = async () => {
    setMade(
      await create.run(
        { body: { url, events, description, organizationId } },
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
    <FormDialog title="Add an endpoint" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        type="url"
        label="Address"
        placeholder="https://api.example.com/latchkey"
        value={url}
        error={faults['url']}
        onChange={({ currentTarget: { value } }) => setUrl(value)}
      />
      <EventTree value={events} error={faults['events']} onChange={setEvents} />
      <TextInput
        label="Description"
        value={description}
        onChange={({ currentTarget: { value } }) => setDescription(value)}
      />
      {readsOrganizations && (
        <OrganizationSelect
          label="Organization"
          description="Sends only events about this organization."
          value={organizationId}
          error={faults['organizationId']}
          onChange={setOrganizationId}
        />
      )}
    </FormDialog>
  );
}
