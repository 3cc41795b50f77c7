import { TextInput } from '@mantine/core';
import type { Maintenance as MaintenanceRecord } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { StateBadge } from '#ui/badge.tsx';
import { SettingsCard, useRecordForm } from '#ui/form.tsx';
import { localInput } from '#ui/moments.ts';
import { Card, Facts, Page } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { useComponentChoices } from './componentStatus.tsx';
import { quietly, useAnnouncement } from './told.tsx';
import { Updates, WriteUpdate } from './Updates.tsx';

type Phase = MaintenanceRecord['phase'];

/** The allowed transitions between phases. */
const NEXT: Record<Phase, readonly Phase[]> = {
  scheduled: ['scheduled', 'in_progress', 'completed'],
  in_progress: ['in_progress', 'verifying', 'completed'],
  verifying: ['verifying', 'in_progress', 'completed'],
  completed: [],
};

export function Maintenance() {
  const id = useIdInAddress();
  const maintenance = useApi().useQuery('get', '/console/v1/status/maintenances/{id}', { params: { path: { id } } });
  return (
    <Loaded query={maintenance}>{(record) => <Detail maintenance={record} reread={maintenance.refetch} />}</Loaded>
  );
}

type DetailProps = { maintenance: MaintenanceRecord; reread: () => Promise<{ data?: MaintenanceRecord }> };

function Detail({ maintenance, reread }: DetailProps) {
  const at = useAt();
  const api = useApi();
  const canWrite = useCan('status:write');
  const choices = useComponentChoices();
  const { id, title, phase, updates, componentIds } = maintenance;
  const remove = api.useMutation('delete', '/console/v1/status/maintenances/{id}');
  const nameOf = (wanted: string) => choices.find(({ value }) => value === wanted)?.label ?? wanted;
  return (
    <Page
      title={title}
      back={{ to: at('/status/maintenance'), label: 'Maintenance' }}
      beside={<StateBadge state={phase} />}
      actions={
        canWrite &&
        phase === 'scheduled' && (
          <RemoveButton
            verb="Cancel maintenance"
            done={`${title} is cancelled`}
            name={title}
            body="It is removed from the status page, and subscribers are notified of the cancellation."
            mutation={remove}
            init={{ params: { path: { id } } }}
            back={at('/status/maintenance')}
          />
        )
      }
    >
      <Card>
        <Facts facts={[['Components', componentIds.map(nameOf).join(', ') || '–']]} />
      </Card>
      {canWrite && NEXT[phase].length > 0 && <NewUpdate key={phase} maintenance={maintenance} />}
      <Updates updates={updates} />
      {phase !== 'completed' && <Edit maintenance={maintenance} reread={reread} canWrite={canWrite} />}
    </Page>
  );
}

function NewUpdate({ maintenance: { id, title, phase, componentIds } }: { maintenance: MaintenanceRecord }) {
  const create = useAction(useApi().useMutation('post', '/console/v1/status/maintenances/{id}/updates'));
  const announcement = useAnnouncement();
  const questionOf = async (update: { phase: Phase; body: string }) => {
    const asked = { title: 'Publish this update?', action: 'Publish' };
    const notice = { kind: 'maintenance', title, componentIds, ...update } as const;
    return update.phase === phase ? quietly(asked) : announcement(asked, notice);
  };
  return (
    <WriteUpdate
      phases={NEXT[phase]}
      phase={phase}
      busy={create.busy}
      onPublish={async (body) =>
        (await create.run(
          { params: { path: { id } }, body },
          { done: 'Update published', question: await questionOf(body) },
        )) !== null
      }
    />
  );
}

function Edit({ maintenance, reread, canWrite }: DetailProps & { canWrite: boolean }) {
  const change = useApi().useMutation('patch', '/console/v1/status/maintenances/{id}');
  const { id, phase } = maintenance;
  const form = useRecordForm({
    record: maintenance,
    path: `/console/v1/status/maintenances/${id}`,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes: { title, beginsAt, endsAt }, headers }) =>
        change.mutateAsync({ params: { path: { id } }, body: { title, beginsAt, endsAt }, headers }),
    },
    reread,
    done: 'Maintenance saved',
    undone: 'Change undone',
  });
  const { values, errors, set } = form;
  return (
    <SettingsCard
      title="Details"
      about="Maintenance starts and ends automatically. Corrections don’t notify subscribers."
      form={form}
      canWrite={canWrite}
    >
      <TextInput required label="Title" maxLength={200} {...form.text('title')} />
      <TextInput
        required
        type="datetime-local"
        label="Starts"
        disabled={phase !== 'scheduled'}
        value={localInput(values.beginsAt)}
        error={errors.beginsAt}
        onChange={({ currentTarget: { value } }) => value && set({ beginsAt: new Date(value).toISOString() })}
      />
      <TextInput
        required
        type="datetime-local"
        label="Ends"
        value={localInput(values.endsAt)}
        error={errors.endsAt}
        onChange={({ currentTarget: { value } }) => value && set({ endsAt: new Date(value).toISOString() })}
      />
    </SettingsCard>
  );
}
