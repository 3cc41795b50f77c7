import { Stack, TextInput } from '@mantine/core';
import { useApi, useCan } from '#api/scope.tsx';
import { Copy } from '#ui/copy.tsx';
import { Fields, RecordFields, useRecordForm } from '#ui/form.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { Backfills } from './Backfills.tsx';
import { Backups } from './Backups.tsx';
import { DeleteWorkspace } from './Deletion.tsx';

type Workspace = { id: string; name: string; createdAt: string; deletesAt: string | null };

export function WorkspaceSettings() {
  const workspace = useApi().useQuery('get', '/console/v1/workspace');
  return (
    <Page
      title="Workspace settings"
      about="A workspace separates people, billing and trust. Nothing is shared between workspaces."
    >
      <Loaded query={workspace}>
        {(record) => (
          <>
            <Edit workspace={record} reread={workspace.refetch} />
            <Backups />
            <Backfills />
            <DeleteWorkspace workspace={record} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Edit({ workspace, reread }: { workspace: Workspace; reread: () => Promise<{ data?: Workspace }> }) {
  const change = useApi().useMutation('patch', '/console/v1/workspace');
  const canWrite = useCan('workspace:write');
  const form = useRecordForm({
    record: workspace,
    path: '/console/v1/workspace',
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes, headers }) =>
        change.mutateAsync({ body: { name: changes.name ?? workspace.name }, headers }),
    },
    reread,
    done: 'Workspace saved',
  });
  return (
    <RecordFields form={form}>
      <Card split title="Workspace">
        <Stack>
          <Fields canWrite={canWrite}>
            <TextInput label="Name" maw={420} {...form.text('name')} />
          </Fields>
          <Facts
            facts={[
              ['Workspace id', <Copy key="id" value={workspace.id} />],
              ['Created', <Time key="created" at={workspace.createdAt} />],
            ]}
          />
        </Stack>
      </Card>
    </RecordFields>
  );
}
