import { Checkbox, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import type { Application as ApplicationRecord } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useSession } from '#api/session.ts';
import { useAt, useHere } from '#shell/place.ts';
import { Badge } from '#ui/badge.tsx';
import { Copy } from '#ui/copy.tsx';
import { Fields, RecordFields, type RecordForm, useRecordForm } from '#ui/form.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { ApiGrants } from './ApiGrants.tsx';
import { kindOf } from './kinds.ts';
import { ManagementPermissions } from './ManagementPermissions.tsx';
import { Protocol, Tokens } from './Protocol.tsx';
import { Secrets } from './Secrets.tsx';
import { OwnSide, SamlKeys, ServiceProvider } from './ServiceProvider.tsx';
import { ServiceProviderMetadata } from './ServiceProviderMetadata.tsx';
import { Snippets } from './Snippets.tsx';

export function Application() {
  const id = useIdInAddress();
  const application = useApi().useQuery('get', '/console/v1/applications/{id}', { params: { path: { id } } });
  return (
    <Loaded query={application}>{(record) => <Detail application={record} reread={application.refetch} />}</Loaded>
  );
}

type DetailProps = { application: ApplicationRecord; reread: () => Promise<{ data?: ApplicationRecord }> };

function Detail({ application, reread }: DetailProps) {
  const at = useAt();
  const canWrite = useCan('applications:write');
  const { secret } = kindOf(application.kind);
  return (
    <Page
      title={application.name}
      back={{ to: at('/applications'), label: 'Applications' }}
      beside={
        <>
          <Badge>{kindOf(application.kind).name}</Badge>
          {!application.enabled && <Badge tone="bad">Disabled</Badge>}
        </>
      }
      actions={canWrite && <Remove application={application} />}
    >
      {application.saml ? <OwnSide id={application.id} /> : <GetStarted application={application} />}
      {secret && <Secrets application={application} canWrite={canWrite} />}
      <Edit application={application} reread={reread} canWrite={canWrite} />
      {application.saml && (
        <>
          <ServiceProviderMetadata id={application.id} saml={application.saml} canWrite={canWrite} />
          <SamlKeys canWrite={canWrite} />
        </>
      )}
    </Page>
  );
}

function GetStarted({ application }: Pick<DetailProps, 'application'>) {
  const { environment } = useHere();
  const { addresses } = useSession();
  return (
    <Card title="Get started">
      <Stack gap="md">
        <Facts
          facts={[
            ['Client id', <Copy key="id" value={application.clientId} />],
            ['Issuer', environment ? <Copy key="issuer" value={addresses[environment].auth} /> : '–'],
          ]}
        />
        <Snippets application={application} />
      </Stack>
    </Card>
  );
}

function Edit({ application, reread, canWrite }: DetailProps & { canWrite: boolean }) {
  const change = useApi().useMutation('patch', '/console/v1/applications/{id}');
  const canReadApis = useCan('apis:read');
  const { id, kind } = application;
  const form = useRecordForm({
    record: application,
    path: `/console/v1/applications/${id}`,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes, headers }) => {
        return change.mutateAsync({ params: { path: { id } }, body: written(changes), headers });
      },
    },
    reread,
    done: 'Application saved',
    undone: 'Change undone',
  });
  return (
    <RecordFields form={form}>
      <Card split title="Settings">
        <Fields canWrite={canWrite}>
          <TextInput label="Name" required {...form.text('name')} />
          {kindOf(kind).redirects && <Addresses form={form} />}
          {kind === 'management' && (
            <ManagementPermissions
              value={form.values.permissions}
              error={form.errors.permissions}
              onChange={(permissions) => form.set({ permissions })}
            />
          )}
          {kind !== 'management' && (
            <Checkbox
              label="First party"
              description="Your own application: people aren’t asked for consent."
              checked={form.values.firstParty}
              onChange={(event) => form.set({ firstParty: event.currentTarget.checked })}
            />
          )}
          <Switch
            label="Enabled"
            description="Nobody can sign in with a disabled application, and its tokens end immediately."
            checked={form.values.enabled}
            onChange={(event) => form.set({ enabled: event.currentTarget.checked })}
          />
        </Fields>
      </Card>
      {kind === 'saml' ? (
        <ServiceProvider form={form} canWrite={canWrite} />
      ) : (
        <>
          {canReadApis && <ApiGrants form={form} canWrite={canWrite} />}
          <Tokens form={form} canWrite={canWrite} />
          <Protocol form={form} canWrite={canWrite} />
        </>
      )}
    </RecordFields>
  );
}

/** Metadata have a card of their own; an empty line is no address. */
function written({ saml, ...changes }: Partial<ApplicationRecord>) {
  if (!saml) return changes;
  const {
    metadataUrl: _url,
    metadataReadAt: _at,
    metadataFault: _fault,
    certificates: _certificates,
    ...fields
  } = saml;
  return { ...changes, saml: { ...fields, consumers: fields.consumers.filter(({ url }) => url !== '') } };
}

function Addresses({ form }: { form: RecordForm<ApplicationRecord> }) {
  const { values, errors, set } = form;
  return (
    <>
      <TagsInput
        label="Redirect addresses"
        description="Must match exactly what your code sends. Press Enter to add one."
        value={values.redirectUris}
        error={errors.redirectUris}
        onChange={(redirectUris) => set({ redirectUris })}
      />
      <TagsInput
        label="Redirect addresses after sign-out"
        value={values.postLogoutRedirectUris}
        error={errors.postLogoutRedirectUris}
        onChange={(postLogoutRedirectUris) => set({ postLogoutRedirectUris })}
      />
      <TagsInput
        label="Origins"
        description="Web origins that may call the auth and API hosts from the browser."
        value={values.origins}
        error={errors.origins}
        onChange={(origins) => set({ origins })}
      />
    </>
  );
}

function Remove({ application }: { application: ApplicationRecord }) {
  const at = useAt();
  return (
    <RemoveButton
      name={application.name}
      body="Nobody can sign in with it, and its tokens end immediately."
      mutation={useApi().useMutation('delete', '/console/v1/applications/{id}')}
      init={{ params: { path: { id: application.id } } }}
      back={at('/applications')}
    />
  );
}
