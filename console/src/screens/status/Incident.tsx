import { Button, MultiSelect, Select, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Incident as IncidentRecord } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { Badge, StateBadge, sentence } from '#ui/badge.tsx';
import { SettingsCard, useRecordForm } from '#ui/form.tsx';
import { Page } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { ComponentsSaid, type Said, useComponentChoices } from './componentStatus.tsx';
import { severities } from './severities.ts';
import { quietly, useAnnouncement } from './told.tsx';
import { Updates, WriteUpdate } from './Updates.tsx';

const PHASES = ['investigating', 'identified', 'monitoring', 'resolved'] as const;
/** Moving a resolved incident to `investigating` reopens it. */
const AFTER_RESOLVED = ['investigating', 'identified'] as const;

export function Incident() {
  const id = useIdInAddress();
  const incident = useApi().useQuery('get', '/console/v1/status/incidents/{id}', { params: { path: { id } } });
  return <Loaded query={incident}>{(record) => <Detail incident={record} reread={incident.refetch} />}</Loaded>;
}

type DetailProps = { incident: IncidentRecord; reread: () => Promise<{ data?: IncidentRecord }> };

function Detail({ incident, reread }: DetailProps) {
  const at = useAt();
  const canWrite = useCan('status:write');
  const { title, phase, severity, draft, updates } = incident;
  return (
    <Page
      title={title}
      back={{ to: at('/status'), label: 'Status' }}
      beside={
        <>
          {draft ? <Badge>Draft</Badge> : <StateBadge state={phase} />}
          <StateBadge state={severity} />
        </>
      }
      actions={canWrite && draft && <DraftActions incident={incident} />}
    >
      {canWrite && !draft && <NewUpdate key={phase} incident={incident} />}
      <Updates updates={updates} />
      <Edit incident={incident} reread={reread} canWrite={canWrite} />
    </Page>
  );
}

function DraftActions({
  incident: { id, title, phase, severity, componentIds, updates },
}: {
  incident: IncidentRecord;
}) {
  const at = useAt();
  const api = useApi();
  const publish = useAction(api.useMutation('post', '/console/v1/status/incidents/{id}/publish'));
  const init = { params: { path: { id } } };
  const announcement = useAnnouncement();
  const announce = async () => {
    const notice = { kind: 'incident', title, phase, severity, componentIds, body: updates[0]?.body ?? title } as const;
    const question = await announcement({ title: `Publish “${title}”?`, action: 'Publish' }, notice);
    await publish.run(init, { done: 'Incident published', question });
  };
  return (
    <>
      <RemoveButton
        name={title}
        body="The draft was never public."
        mutation={api.useMutation('delete', '/console/v1/status/incidents/{id}')}
        init={init}
        back={at('/status')}
      />
      <Button loading={publish.busy} onClick={announce}>
        Publish
      </Button>
    </>
  );
}

function NewUpdate({ incident }: { incident: IncidentRecord }) {
  const { id, title, phase, severity } = incident;
  const [ids, setIds] = useState<string[]>(incident.componentIds);
  const [said, setSaid] = useState<Said>(incident.componentStatuses);
  const create = useAction(useApi().useMutation('post', '/console/v1/status/incidents/{id}/updates'));
  const announcement = useAnnouncement();
  const questionOf = async (update: { phase: IncidentRecord['phase']; body: string }) => {
    const asked = { title: 'Publish this update?', action: 'Publish' };
    const notice = { kind: 'incident', title, severity, componentIds: ids, ...update } as const;
    return update.phase === phase ? quietly(asked) : announcement(asked, notice);
  };
  const named = Object.fromEntries(ids.map((one) => [one, said[one] ?? ('operational' as const)]));
  return (
    <WriteUpdate
      phases={phase === 'resolved' ? AFTER_RESOLVED : PHASES}
      phase={phase === 'resolved' ? 'investigating' : phase}
      busy={create.busy}
      onPublish={async (update) =>
        (await create.run(
          { params: { path: { id } }, body: { ...update, componentStatuses: named } },
          { done: 'Update published', question: await questionOf(update) },
        )) !== null
      }
    >
      <ComponentsSaid
        ids={ids}
        said={said}
        onChange={(chosen, next) => {
          setIds(chosen);
          setSaid(next);
        }}
      />
    </WriteUpdate>
  );
}

function Edit({ incident, reread, canWrite }: DetailProps & { canWrite: boolean }) {
  const change = useApi().useMutation('patch', '/console/v1/status/incidents/{id}');
  const choices = useComponentChoices();
  const { id } = incident;
  const form = useRecordForm({
    record: incident,
    path: `/console/v1/status/incidents/${id}`,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes: { title, severity, componentIds, postmortem }, headers }) =>
        change.mutateAsync({ params: { path: { id } }, body: { title, severity, componentIds, postmortem }, headers }),
    },
    reread,
    done: 'Incident saved',
    undone: 'Change undone',
  });
  const { values, errors, set } = form;
  return (
    <SettingsCard
      title="Details"
      about="Corrections don’t notify subscribers. To change the phase, publish an update."
      form={form}
      canWrite={canWrite}
    >
      <TextInput required label="Title" maxLength={200} {...form.text('title')} />
      <Select
        label="Severity"
        allowDeselect={false}
        data={severities.map((value) => ({ value, label: sentence(value) }))}
        value={values.severity}
        onChange={(value) => set({ severity: severities.find((known) => known === value) ?? values.severity })}
      />
      <MultiSelect
        searchable
        label="Components"
        data={choices}
        value={values.componentIds}
        error={errors.componentIds}
        onChange={(componentIds) => set({ componentIds })}
      />
      <Textarea
        label="Postmortem"
        description="What happened, why, and what you changed. Shown below the incident."
        minRows={4}
        value={values.postmortem ?? ''}
        error={errors.postmortem}
        onChange={({ currentTarget: { value } }) => set({ postmortem: value || null })}
      />
    </SettingsCard>
  );
}
