import { Select, Textarea, TextInput } from '@mantine/core';
import type { StatusComponent } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { StateBadge } from '#ui/badge.tsx';
import { SettingsCard, useRecordForm } from '#ui/form.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { measuredBy } from './Components.tsx';
import { useStatusGroups } from './lists.ts';
import { shownChoices } from './NewComponent.tsx';

export function Component() {
  const id = useIdInAddress();
  const component = useApi().useQuery('get', '/console/v1/status/components/{id}', { params: { path: { id } } });
  return <Loaded query={component}>{(record) => <Detail component={record} reread={component.refetch} />}</Loaded>;
}

type DetailProps = { component: StatusComponent; reread: () => Promise<{ data?: StatusComponent }> };

function Detail({ component, reread }: DetailProps) {
  const at = useAt();
  const canWrite = useCan('status:write');
  const remove = useApi().useMutation('delete', '/console/v1/status/components/{id}');
  return (
    <Page
      title={component.name}
      back={{ to: at('/status/components'), label: 'Components' }}
      beside={<StateBadge state={component.status} />}
      actions={
        canWrite &&
        !component.builtIn && (
          <RemoveButton
            name={component.name}
            body="It is removed from the status page and no longer measured. Its incidents are kept."
            mutation={remove}
            init={{ params: { path: { id: component.id } } }}
            back={at('/status/components')}
          />
        )
      }
    >
      <Measured component={component} />
      <Edit component={component} reread={reread} canWrite={canWrite} />
    </Page>
  );
}

function Measured({ component: { check, statusSince, heartbeatAt } }: { component: StatusComponent }) {
  return (
    <Card title="Measured">
      <Facts
        facts={[
          ['By', measuredBy(check)],
          ...checkFacts(check),
          ...(check?.kind === 'heartbeat'
            ? [['Last report', <Time key="beat" at={heartbeatAt} none="None yet" />] as const]
            : []),
          ['Since', <Time key="since" at={statusSince} />],
        ]}
      />
    </Card>
  );
}

function checkFacts(check: StatusComponent['check']): (readonly [string, string])[] {
  if (!check || check.kind === 'manual') return [];
  const every = ['Every', `${check.intervalSeconds} s`] as const;
  if (check.kind === 'heartbeat') return [every];
  const within = ['Timeout', `${check.timeoutSeconds} s`] as const;
  if (check.kind === 'tls')
    return [
      ['Address', `${check.host}:${check.port}`],
      ['Degraded performance', `Fewer than ${check.degradedDays} days left`],
      ['Partial outage', `Fewer than ${check.outageDays} days left`],
      every,
      within,
    ];
  if (check.kind === 'tcp') return [['Address', `${check.host}:${check.port}`], every, within];
  return [
    ['Address', check.url],
    ['Expected status', String(check.expectedStatus)],
    ...(check.bodyContains ? [['Expected text', check.bodyContains] as const] : []),
    every,
    within,
  ];
}

function Edit({ component, reread, canWrite }: DetailProps & { canWrite: boolean }) {
  const change = useApi().useMutation('patch', '/console/v1/status/components/{id}');
  const groups = useStatusGroups();
  const { id } = component;
  const form = useRecordForm({
    record: component,
    path: `/console/v1/status/components/${id}`,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes: { name, description, groupId, shown }, headers }) =>
        change.mutateAsync({ params: { path: { id } }, body: { name, description, groupId, shown }, headers }),
    },
    reread,
    done: 'Component saved',
    undone: 'Change undone',
  });
  const { values, errors, set } = form;
  const groupChoices = groups.data?.map((group) => ({ value: group.id, label: group.name })) ?? [];
  return (
    <SettingsCard title="Settings" form={form} canWrite={canWrite}>
      <TextInput
        required
        label="Name"
        description={component.builtIn ? 'A custom name is not translated.' : undefined}
        maxLength={100}
        {...form.text('name')}
      />
      <Textarea label="Description" maxLength={500} {...form.text('description')} />
      <Select
        label="Group"
        allowDeselect={false}
        data={groupChoices}
        value={values.groupId}
        error={errors.groupId}
        onChange={(value) => set({ groupId: value ?? values.groupId })}
      />
      <Select
        label="Shown"
        description="A component that is never shown doesn’t affect the status."
        allowDeselect={false}
        data={shownChoices}
        value={values.shown}
        onChange={(value) => set({ shown: shownChoices.find((one) => one.value === value)?.value ?? values.shown })}
      />
    </SettingsCard>
  );
}
