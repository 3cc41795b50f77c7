import { Select, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Action } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { SecretOnce } from '#ui/SecretOnce.tsx';
import { FAILURES, isFailure, isMoment, MOMENT_CHOICES, MOMENTS } from './moments.ts';

export function NewAction({ onClose }: { onClose: () => void }) {
  const [moment, setMoment] = useState<Action['moment']>('sign_in');
  const [onFailure, setOnFailure] = useState<Action['onFailure']>('refuse');
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const { faults, onProblem } = useFaults();
  const [made, setMade] = useState<{ id: string; secret: string } | null>(null);
  const create = useAction(useApi().useMutation('post', '/console/v1/actions'));
  const navigate = useNavigate();
  const at = useAt();
  const submit = async () => {
    const body = { name, moment, url, onFailure, enabled: false };
    setMade(await create.run({ body }, { done: 'Action added', change: 'Add action', onProblem }));
  };
  if (made)
    return (
      <SecretOnce
        title="Signing secret"
        secret={made.secret}
        onClose={() => navigate({ to: at(`/actions/${made.id}`) })}
      />
    );
  return (
    <FormDialog title="Add an action" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label="Name"
        placeholder="Risk check"
        value={name}
        error={faults['name']}
        onChange={({ currentTarget: { value } }) => setName(value)}
      />
      <Select
        label="Moment"
        description={MOMENTS[moment].about}
        data={MOMENT_CHOICES}
        value={moment}
        allowDeselect={false}
        onChange={(value) => isMoment(value) && setMoment(value)}
      />
      <TextInput
        required
        type="url"
        label="Address"
        description="It is added disabled: test it, then enable it."
        placeholder="https://api.example.com/latchkey-actions"
        value={url}
        error={faults['url']}
        onChange={({ currentTarget: { value } }) => setUrl(value)}
      />
      <Select
        label="If the call fails"
        data={FAILURES}
        value={onFailure}
        allowDeselect={false}
        onChange={(value) => isFailure(value) && setOnFailure(value)}
      />
    </FormDialog>
  );
}
