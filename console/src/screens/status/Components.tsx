import { Button, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { StatusComponent, StatusGroup } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { StateBadge, sentence } from '#ui/badge.tsx';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { Card, Page } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { useStatusComponents, useStatusGroups } from './lists.ts';
import { MoveButtons } from './MoveButtons.tsx';
import { NewComponent } from './NewComponent.tsx';
import { onStatusPage } from './onStatusPage.tsx';
import { StatusTabs } from './StatusTabs.tsx';

export const Components = onStatusPage(function Components() {
  const [component, componentControl] = useDisclosure(false);
  const [group, groupControl] = useDisclosure(false);
  const canWrite = useCan('status:write');
  const groups = useStatusGroups();
  const components = useStatusComponents();
  return (
    <Page
      title="Status"
      about="Measured components, in the order of the status page."
      actions={
        canWrite && (
          <>
            <Button variant="default" onClick={groupControl.open}>
              Add group
            </Button>
            <Button onClick={componentControl.open}>Add component</Button>
          </>
        )
      }
    >
      <StatusTabs />
      <Loaded query={groups}>
        {(all) => (
          <Loaded query={components}>
            {(items) =>
              all.map((one) => (
                <GroupCard
                  key={one.id}
                  group={one}
                  groups={all}
                  components={items.filter(({ groupId }) => groupId === one.id)}
                  canWrite={canWrite}
                />
              ))
            }
          </Loaded>
        )}
      </Loaded>
      {component && <NewComponent groups={groups.data ?? []} onClose={componentControl.close} />}
      {group && <NewGroup onClose={groupControl.close} />}
    </Page>
  );
});

type GroupCardProps = {
  group: StatusGroup;
  groups: readonly StatusGroup[];
  components: readonly StatusComponent[];
  canWrite: boolean;
};

function GroupCard({ group, groups, components, canWrite }: GroupCardProps) {
  const at = useAt();
  const api = useApi();
  const changeGroup = api.useMutation('patch', '/console/v1/status/groups/{id}');
  const change = api.useMutation('patch', '/console/v1/status/components/{id}');
  return (
    <Card
      flush
      title={group.name}
      actions={
        canWrite && (
          <>
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              aria-label={`Edit the group ${group.name}`}
              renderRoot={(props) => <Link to={at(`/status/groups/${group.id}`)} {...props} />}
            >
              Edit
            </Button>
            <MoveButtons
              item={group}
              among={groups}
              place={({ id, position }) => changeGroup.mutateAsync({ params: { path: { id } }, body: { position } })}
            />
          </>
        )
      }
    >
      <Table
        even
        label={`Components of ${group.name}`}
        rows={components}
        keyOf={({ id }) => id}
        href={({ id }) => at(`/status/components/${id}`)}
        empty="No components in this group"
        columns={[
          { name: 'Component', cell: ({ name }) => name },
          { name: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
          { name: 'Since', wide: true, cell: ({ statusSince }) => <Time at={statusSince} /> },
          { name: 'Measured by', wide: true, cell: ({ check }) => measuredBy(check) },
          { name: 'Shown', wide: true, cell: ({ shown }) => sentence(shown) },
          ...(canWrite
            ? [
                {
                  name: '',
                  align: 'right' as const,
                  cell: (one: StatusComponent) => (
                    <MoveButtons
                      item={one}
                      among={components}
                      place={({ id, position }) => change.mutateAsync({ params: { path: { id } }, body: { position } })}
                    />
                  ),
                },
              ]
            : []),
        ]}
      />
    </Card>
  );
}

const CHECKS = {
  http: 'HTTP',
  tcp: 'TCP',
  tls: 'TLS certificate',
  heartbeat: 'Heartbeats',
  manual: 'Incidents',
} as const;

/** How a component is measured, in a few words. */
export function measuredBy(check: StatusComponent['check']): string {
  return check ? CHECKS[check.kind] : 'Latchkey';
}

function NewGroup({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const { faults, onProblem } = useFaults('name');
  const create = useAction(useApi().useMutation('post', '/console/v1/status/groups'));
  const submit = async () => {
    const made = await create.run({ body: { name } }, { done: `${name} added`, change: 'Add group', onProblem });
    if (made) onClose();
  };
  return (
    <FormDialog title="Add a group" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label="Name"
        description="It appears on the status page once it contains a component."
        maxLength={100}
        value={name}
        error={faults['name']}
        onChange={({ currentTarget: { value } }) => setName(value)}
      />
    </FormDialog>
  );
}
