import { Button, Group, Modal, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { isPreset, type Preset, presetChoices } from './presets.ts';

type Draft = { preset: Preset; clientId: string; clientSecret: string; issuer: string };

export function NewProvider({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({ preset: 'google', clientId: '', clientSecret: '', issuer: '' });
  const [errors, setErrors] = useState<Record<string, string>>({});
  const create = useAction(useApi().useMutation('post', '/console/v1/identity-providers'));
  const navigate = useNavigate();
  const at = useAt();
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const { preset, clientId, clientSecret, issuer } = draft;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = {
      key: preset,
      preset,
      clientId,
      ...(clientSecret && { clientSecret }),
      ...(preset === 'oidc' && { options: { issuer } }),
    };
    const onProblem = ({ fields }: { fields: Record<string, string> }) => {
      setErrors(fields);
      return Object.keys(fields).length > 0;
    };
    const made = await create.run({ body }, { done: 'Provider added', change: 'Add provider', onProblem });
    if (made) await navigate({ to: at(`/providers/${made.id}`) });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={<Text fw={600}>Add an identity provider</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
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
              error={errors['options']}
              onChange={({ currentTarget: { value } }) => set({ issuer: value })}
            />
          )}
          <TextInput
            required
            label="Client id"
            value={clientId}
            error={errors['clientId']}
            onChange={({ currentTarget: { value } }) => set({ clientId: value })}
          />
          <PasswordInput
            label="Client secret"
            autoComplete="off"
            value={clientSecret}
            error={errors['clientSecret']}
            onChange={({ currentTarget: { value } }) => set({ clientSecret: value })}
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
