import { TextInput } from '@mantine/core';
import type { ResourceType as TypeRecord } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Copy } from '#ui/copy.tsx';
import { Fields, RecordFields, useRecordForm } from '#ui/form.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { TypeParents } from './TypeParents.tsx';
import { TypeRelations } from './TypeRelations.tsx';

export function ResourceType() {
  const typeKey = useIdInAddress();
  const type = useApi().useQuery('get', '/console/v1/authorization/types/{typeKey}', {
    params: { path: { typeKey } },
  });
  return <Loaded query={type}>{(record) => <Detail type={record} reread={type.refetch} />}</Loaded>;
}

type DetailProps = { type: TypeRecord; reread: () => Promise<{ data?: TypeRecord }> };

function Detail({ type, reread }: DetailProps) {
  const at = useAt();
  const api = useApi();
  const canWrite = useCan('roles:write');
  const change = api.useMutation('patch', '/console/v1/authorization/types/{typeKey}');
  const remove = api.useMutation('delete', '/console/v1/authorization/types/{typeKey}');
  const params = { path: { typeKey: type.key } };
  const form = useRecordForm({
    record: type,
    path: `/console/v1/authorization/types/${type.key}`,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes, headers }) => change.mutateAsync({ params, body: changes, headers }),
    },
    reread,
    done: 'Type saved',
    undone: 'Change undone',
  });
  return (
    <Page
      title={type.name}
      back={{ to: at('/authorization/types'), label: 'Types' }}
      actions={
        canWrite && (
          <RemoveButton
            name={type.name}
            body="Its relations go with it: everybody loses what they had by them."
            mutation={remove}
            init={{ params }}
            back={at('/authorization/types')}
          />
        )
      }
    >
      <Card>
        <Facts facts={[['Key', <Copy key="key" value={type.key} />]]} />
      </Card>
      <RecordFields form={form}>
        <TypeRelations form={form} canWrite={canWrite} />
        <TypeParents form={form} canWrite={canWrite} />
        <Card split title="Settings">
          <Fields canWrite={canWrite}>
            <TextInput required label="Name" maxLength={100} {...form.text('name')} />
            <TextInput label="Description" maxLength={500} {...form.text('description')} />
          </Fields>
        </Card>
      </RecordFields>
    </Page>
  );
}
