import { NumberInput, Select, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { StatusComponent, StatusGroup } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { SecretOnce } from '#ui/SecretOnce.tsx';

type Check = NonNullable<StatusComponent['check']>;
type Kind = Check['kind'];

export const shownChoices: { value: StatusComponent['shown']; label: string }[] = [
  { value: 'always', label: 'Always' },
  { value: 'when_degraded', label: 'When it is degraded' },
  { value: 'never', label: 'Never' },
];

const KINDS: { value: Kind; label: string }[] = [
  { value: 'http', label: 'HTTP request' },
  { value: 'tcp', label: 'TCP connection' },
  { value: 'tls', label: 'TLS certificate' },
  { value: 'heartbeat', label: 'Heartbeats' },
  { value: 'manual', label: 'Your incidents' },
];

type Draft = {
  name: string;
  groupId: string;
  kind: Kind;
  url: string;
  host: string;
  port: number;
  degradedDays: number;
  outageDays: number;
  expectedStatus: number;
  intervalSeconds: number;
  timeoutSeconds: number;
};

function checkOf(draft: Draft): Check {
  const { kind, url, host, port, degradedDays, outageDays, expectedStatus, intervalSeconds, timeoutSeconds } = draft;
  if (kind === 'manual') return { kind };
  if (kind === 'heartbeat') return { kind, intervalSeconds };
  if (kind === 'tcp') return { kind, host, port, intervalSeconds, timeoutSeconds };
  if (kind === 'tls') return { kind, host, port, degradedDays, outageDays, intervalSeconds, timeoutSeconds };
  return { kind, url, expectedStatus, intervalSeconds, timeoutSeconds };
}

export function NewComponent({ groups, onClose }: { groups: readonly StatusGroup[]; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({
    name: '',
    groupId: groups[0]?.id ?? '',
    kind: 'http',
    url: '',
    host: '',
    port: 443,
    degradedDays: 14,
    outageDays: 3,
    expectedStatus: 200,
    intervalSeconds: 60,
    timeoutSeconds: 5,
  });
  const [made, setMade] = useState<{ id: string; address: string } | null>(null);
  const { faults, onProblem } = useFaults('name');
  const create = useAction(useApi().useMutation('post', '/console/v1/status/components'));
  const navigate = useNavigate();
  const at = useAt();
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const { name, groupId } = draft;
  const open = (id: string) => navigate({ to: at(`/status/components/${id}`) });
  const submit = async () => {
    const component = await create.run(
      { body: { name, groupId, check: checkOf(draft) } },
      { done: `${name} added`, change: 'Add component', onProblem },
    );
    if (component?.heartbeatUrl) setMade({ id: component.id, address: component.heartbeatUrl });
    else if (component) await open(component.id);
  };
  if (made) return <SecretOnce title="Heartbeat address" secret={made.address} onClose={() => open(made.id)} />;
  return (
    <FormDialog title="Add a component" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label="Name"
        maxLength={100}
        value={name}
        error={faults['name'] ?? faults['check']}
        onChange={({ currentTarget: { value } }) => set({ name: value })}
      />
      <Select
        label="Group"
        allowDeselect={false}
        data={groups.map((group) => ({ value: group.id, label: group.name }))}
        value={groupId}
        onChange={(value) => set({ groupId: value ?? groupId })}
      />
      <Select
        label="Measured by"
        allowDeselect={false}
        data={KINDS}
        value={draft.kind}
        onChange={(value) => set({ kind: KINDS.find((known) => known.value === value)?.value ?? draft.kind })}
      />
      <CheckFields draft={draft} set={set} />
    </FormDialog>
  );
}

function CheckFields({ draft, set }: { draft: Draft; set: (changes: Partial<Draft>) => void }) {
  const { kind, url, host, port, degradedDays, outageDays, expectedStatus, intervalSeconds, timeoutSeconds } = draft;
  if (kind === 'manual') return null;
  return (
    <>
      {kind === 'http' && (
        <>
          <TextInput
            required
            type="url"
            label="Address"
            placeholder="https://shop.example.com/health"
            value={url}
            onChange={({ currentTarget: { value } }) => set({ url: value })}
          />
          <NumberInput
            required
            label="Expected status"
            min={100}
            max={599}
            value={expectedStatus}
            onChange={(value) => set({ expectedStatus: Number(value) })}
          />
        </>
      )}
      {(kind === 'tcp' || kind === 'tls') && (
        <>
          <TextInput
            required
            label="Host"
            value={host}
            onChange={({ currentTarget: { value } }) => set({ host: value })}
          />
          <NumberInput
            required
            label="Port"
            min={1}
            max={65_535}
            value={port}
            onChange={(value) => set({ port: Number(value) })}
          />
        </>
      )}
      {kind === 'tls' && (
        <>
          <NumberInput
            required
            label="Degraded performance"
            description="When the certificate expires in fewer days."
            suffix=" days"
            min={0}
            max={365}
            value={degradedDays}
            onChange={(value) => set({ degradedDays: Number(value) })}
          />
          <NumberInput
            required
            label="Partial outage"
            description="When it expires in fewer days. A certificate that is not valid is a major outage."
            suffix=" days"
            min={0}
            max={365}
            value={outageDays}
            onChange={(value) => set({ outageDays: Number(value) })}
          />
        </>
      )}
      <NumberInput
        required
        label="Every"
        description={
          kind === 'heartbeat' ? 'An outage is recorded after twice this time without a heartbeat.' : undefined
        }
        suffix=" s"
        min={10}
        max={3_600}
        value={intervalSeconds}
        onChange={(value) => set({ intervalSeconds: Number(value) })}
      />
      {kind !== 'heartbeat' && (
        <NumberInput
          required
          label="Timeout"
          suffix=" s"
          min={1}
          max={10}
          value={timeoutSeconds}
          onChange={(value) => set({ timeoutSeconds: Number(value) })}
        />
      )}
    </>
  );
}
