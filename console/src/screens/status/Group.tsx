import { TextInput } from '@mantine/core';
import type { StatusGroup } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { SettingsCard, useRecordForm } from '#ui/form.tsx';
import { Page } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';

export function Group() {
  const id = useIdInAddress();
  const group = useApi().useQuery('get', '/console/v1/status/groups/{id}', { params: { path: { id } } });
  return <Loaded query={group}>{(record) => <Detail group={record} reread={group.refetch} />}</Loaded>;
}

type DetailProps = { group: StatusGroup; reread: () => Promise<{ data?: StatusGroup }> };

function Detail({ group, reread }: DetailProps) {
  const at = useAt();
  const api = useApi();
  const canWrite = useCan('status:write');
  const change = api.useMutation('patch', '/console/v1/status/groups/{id}');
  const remove = api.useMutation('delete', '/console/v1/status/groups/{id}');
  const params = { path: { id: group.id } };
  const form = useRecordForm({
    record: group,
    path: `/console/v1/status/groups/${group.id}`,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes: { name }, headers }) => change.mutateAsync({ params, body: { name }, headers }),
    },
    reread,
    done: 'Group saved',
    undone: 'Change undone',
  });
  return (
    <Page
      title={group.name}
      about="A group of components on the status page."
      back={{ to: at('/status/components'), label: 'Components' }}
      actions={
        canWrite &&
        !group.builtIn && (
          <RemoveButton
            name={group.name}
            body="Only an empty group can be removed. Move its components to another group first."
            mutation={remove}
            init={{ params }}
            back={at('/status/components')}
          />
        )
      }
    >
      <SettingsCard title="Settings" form={form} canWrite={canWrite}>
        <TextInput
          required
          label="Name"
          description={group.builtIn ? 'A custom name is not translated.' : undefined}
          maxLength={100}
          {...form.text('name')}
        />
      </SettingsCard>
    </Page>
  );
}
