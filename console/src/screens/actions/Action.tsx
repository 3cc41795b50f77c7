import { NumberInput, Select, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import type { Action as Record } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { SettingsCard, useRecordForm } from '#ui/form.tsx';
import { Facts, Page } from '#ui/page.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { ActionControls } from './ActionControls.tsx';
import { ActionState } from './Actions.tsx';
import { ActionTest } from './ActionTest.tsx';
import { Calls } from './Calls.tsx';
import { FAILURES, isFailure, MOMENTS } from './moments.ts';

export function Action() {
  const actionId = useIdInAddress();
  const action = useApi().useQuery('get', '/console/v1/actions/{actionId}', { params: { path: { actionId } } });
  return <Loaded query={action}>{(record) => <Detail action={record} reread={action.refetch} />}</Loaded>;
}

type DetailProps = { action: Record; reread: () => Promise<{ data?: Record }> };

function Detail({ action, reread }: DetailProps) {
  const at = useAt();
  const canWrite = useCan('actions:write');
  return (
    <Page
      title={action.name}
      back={{ to: at('/actions'), label: 'Actions' }}
      beside={<ActionState action={action} />}
      actions={canWrite && <ActionControls action={action} />}
    >
      <Edit action={action} reread={reread} canWrite={canWrite} />
      {canWrite && <ActionTest actionId={action.id} />}
      <Calls actionId={action.id} />
    </Page>
  );
}

function Edit({ action, reread, canWrite }: DetailProps & { canWrite: boolean }) {
  const change = useApi().useMutation('patch', '/console/v1/actions/{actionId}');
  const { name, url, position, timeoutMs, onFailure } = action;
  // Without the state, which a button changes.
  const record = useMemo(
    () => ({ name, url, position, timeoutMs, onFailure }),
    [name, url, position, timeoutMs, onFailure],
  );
  const form = useRecordForm({
    record,
    path: `/console/v1/actions/${action.id}`,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes, headers }) =>
        change.mutateAsync({ params: { path: { actionId: action.id } }, body: changes, headers }),
    },
    reread,
    done: 'Action saved',
    undone: 'Change undone',
  });
  const { values, errors, set } = form;
  return (
    <SettingsCard title="Settings" form={form} canWrite={canWrite}>
      <Facts facts={[['Moment', `${MOMENTS[action.moment].label}: ${MOMENTS[action.moment].about}`]]} />
      <TextInput label="Name" {...form.text('name')} />
      <TextInput type="url" label="Address" {...form.text('url')} />
      <NumberInput
        label="Time limit"
        description="How long people wait for the answer at most, in milliseconds."
        min={100}
        max={5000}
        step={100}
        allowDecimal={false}
        value={values.timeoutMs}
        error={errors.timeoutMs}
        onChange={(value) => typeof value === 'number' && set({ timeoutMs: value })}
      />
      <Select
        label="If the call fails"
        data={FAILURES}
        value={values.onFailure}
        allowDeselect={false}
        onChange={(value) => isFailure(value) && set({ onFailure: value })}
      />
      <NumberInput
        label="Position"
        description="Actions of one moment are called one after the other, the lowest first."
        min={0}
        max={1000}
        allowDecimal={false}
        value={values.position}
        error={errors.position}
        onChange={(value) => typeof value === 'number' && set({ position: value })}
      />
    </SettingsCard>
  );
}
