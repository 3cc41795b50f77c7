import { Checkbox, TextInput } from '@mantine/core';
import type { Api as ApiRecord } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Copy } from '#ui/copy.tsx';
import { DurationInput } from '#ui/DurationInput.tsx';
import { Fields, RecordFields, type RecordForm, useRecordForm } from '#ui/form.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager, Table } from '#ui/table.tsx';
import { kindOf } from '../applications/kinds.ts';
import { ApiScopes } from './ApiScopes.tsx';

/** The initial value when an API gets its own lifetime. */
const SECONDS = 900;

export function Api() {
  const id = useIdInAddress();
  const api = useApi().useQuery('get', '/console/v1/apis/{id}', { params: { path: { id } } });
  return <Loaded query={api}>{(record) => <Detail api={record} reread={api.refetch} />}</Loaded>;
}

type DetailProps = { api: ApiRecord; reread: () => Promise<{ data?: ApiRecord }> };

function Detail({ api, reread }: DetailProps) {
  const at = useAt();
  const canWrite = useCan('apis:write');
  const remove = useApi().useMutation('delete', '/console/v1/apis/{id}');
  return (
    <Page
      title={api.name}
      back={{ to: at('/apis'), label: 'APIs' }}
      actions={
        canWrite && (
          <RemoveButton
            name={api.name}
            body="No application gets new tokens for it. Existing tokens are valid until they expire."
            mutation={remove}
            init={{ params: { path: { id: api.id } } }}
            back={at('/apis')}
          />
        )
      }
    >
      <Card>
        <Facts facts={[['Identifier', <Copy key="identifier" value={api.identifier} />]]} />
      </Card>
      <Edit api={api} reread={reread} canWrite={canWrite} />
      {useCan('applications:read') && <Applications apiId={api.id} />}
    </Page>
  );
}

function Edit({ api, reread, canWrite }: DetailProps & { canWrite: boolean }) {
  const change = useApi().useMutation('patch', '/console/v1/apis/{id}');
  const { id } = api;
  const form = useRecordForm({
    record: api,
    path: `/console/v1/apis/${id}`,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes, headers }) => change.mutateAsync({ params: { path: { id } }, body: changes, headers }),
    },
    reread,
    done: 'API saved',
  });
  return (
    <RecordFields form={form}>
      <ApiScopes form={form} canWrite={canWrite} />
      <Card split title="Settings">
        <Fields canWrite={canWrite}>
          <TextInput label="Name" required maxLength={100} {...form.text('name')} />
          <Checkbox
            label="Require permissions"
            description="People get only the scopes that are named like a permission they have in this project."
            checked={form.values.requirePermissions}
            onChange={(event) => form.set({ requirePermissions: event.currentTarget.checked })}
          />
          <Lifetime form={form} />
        </Fields>
      </Card>
    </RecordFields>
  );
}

function Lifetime({ form: { values, errors, set } }: { form: RecordForm<ApiRecord> }) {
  const { accessTokenSeconds } = values;
  return (
    <>
      <Checkbox
        label="Access token lifetime: that of the application"
        checked={accessTokenSeconds === null}
        onChange={(event) => set({ accessTokenSeconds: event.currentTarget.checked ? null : SECONDS })}
      />
      {accessTokenSeconds !== null && (
        <DurationInput
          label="Maximum access token lifetime"
          value={accessTokenSeconds}
          onChange={(seconds) => set({ accessTokenSeconds: seconds })}
          {...(errors.accessTokenSeconds !== undefined && { error: errors.accessTokenSeconds })}
        />
      )}
    </>
  );
}

/** The applications that were granted the API. */
function Applications({ apiId }: { apiId: string }) {
  const at = useAt();
  const applications = useApi().useQuery('get', '/console/v1/applications', {
    params: { query: { apiId, limit: 100 } },
  });
  return (
    <Card flush title="Applications" about="Those that may get tokens for this API.">
      <Loaded query={applications}>
        {({ items, nextCursor }) => (
          <>
            <Table
              label="Applications"
              rows={items}
              keyOf={({ id }) => id}
              href={({ id }) => at(`/applications/${id}`)}
              empty={
                <Empty title="No application uses it yet">Open an application and choose this API under “APIs”.</Empty>
              }
              columns={[
                { name: 'Name', cell: ({ name }) => name },
                { name: 'Kind', cell: ({ kind }) => kindOf(kind).name },
              ]}
            />
            <Pager nextCursor={nextCursor} />
          </>
        )}
      </Loaded>
    </Card>
  );
}
