import { PasswordInput, Select, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { isPreset, type Preset, presetChoices } from './presets.ts';

type Draft = { preset: Preset; clientId: string; clientSecret: string; issuer: string };

export function NewProvider({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({ preset: 'google', clientId: '', clientSecret: '', issuer: '' });
  const { faults, onProblem } = useFaults();
  const create = useAction(useApi().useMutation('post', '/console/v1/identity-providers'));
  const navigate = useNavigate();
  const at = useAt();
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const { preset, clientId, clientSecret, issuer } = draft;
  const submit = async () => {
    const body = {
      key: preset,
      preset,
      clientId,
      ...(clientSecret && { clientSecret }),
      ...(preset === 'oidc' && { options: { issuer } }),
    };
    const made = await create.run({ body }, { done: 'Provider added', change: 'Add provider', onProblem });
    if (made) await navigate({ to: at(`/providers/${made.id}`) });
  };
  return (
    <FormDialog title="Add an identity provider" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <Select
        label="Provider"
        allowDeselect={false}
        data={presetChoices}
        value={preset}
        onChange={(value) => set({ preset: value && isPreset(value) ? value : preset })}
      />
      {preset === 'oidc' && (
        <TextInput
          required
          type="url"
          label="Issuer"
          placeholder="https://login.example.com"
          value={issuer}
          error={faults['options']}
          onChange={({ currentTarget: { value } }) => set({ issuer: value })}
        />
      )}
      <TextInput
        required
        label="Client id"
        value={clientId}
        error={faults['clientId']}
        onChange={({ currentTarget: { value } }) => set({ clientId: value })}
      />
      <PasswordInput
        label="Client secret"
        autoComplete="off"
        value={clientSecret}
        error={faults['clientSecret']}
        onChange={({ currentTarget: { value } }) => set({ clientSecret: value })}
      />
    </FormDialog>
  );
}
