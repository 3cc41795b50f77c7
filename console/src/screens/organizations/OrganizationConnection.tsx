import { Alert, Button, Fieldset, PasswordInput, Switch, TagsInput, TextInput } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import type { OrganizationConnection as ConnectionRecord } from '#api/records.ts';
import { useApi, useScope } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Copy } from '#ui/copy.tsx';
import { Fields, FieldsFault, RecordFields, useRecordForm } from '#ui/form.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { TestCard } from '#ui/TestCard.tsx';
import { ClientKey } from './ClientKey.tsx';
import { AttributeFields, GroupFields, type Mapping, mappingBody, mappingOf } from './ConnectionMapping.tsx';
import { ConnectionState, useMayConnect } from './OrganizationConnections.tsx';
import { OWNER, RoleChoices } from './RoleChoices.tsx';
import { SamlKey } from './SamlKey.tsx';
import { SamlMetadata } from './SamlMetadata.tsx';
import { TestSignIn } from './TestSignIn.tsx';

const ONE = '/console/v1/organizations/{organizationId}/connections/{connectionId}';
type Path = { organizationId: string; connectionId: string };

/** A connection of an organization. */
export function OrganizationConnection() {
  const path = { organizationId: useIdInAddress(), connectionId: useIdInAddress('connection') };
  const connection = useApi().useQuery('get', ONE, { params: { path } });
  return (
    <Loaded query={connection}>
      {(record) => <Detail path={path} connection={record} reread={connection.refetch} />}
    </Loaded>
  );
}

type DetailProps = { path: Path; connection: ConnectionRecord };
type Reread = { reread: () => Promise<{ data?: ConnectionRecord }> };

function Detail({ path, connection, reread }: DetailProps & Reread) {
  const at = useAt();
  const scope = useScope();
  const canWrite = useMayConnect();
  const back = at(`/organizations/${path.organizationId}/connections`);
  const remove = useApi().useMutation('delete', ONE);
  return (
    <Page
      title={connection.name}
      back={{ to: back, label: 'Connections' }}
      beside={<ConnectionState status={connection.status} />}
      actions={
        canWrite && (
          <RemoveButton
            name={connection.name}
            body="Sessions that began through it end. People who joined through it stay members."
            mutation={remove}
            init={{ params: { path } }}
            back={back}
          />
        )
      }
    >
      <Card
        title="Set up at the identity provider"
        about={
          connection.saml
            ? 'Enter these values there, or let it read the metadata address.'
            : 'Register each of these as a redirect (callback) address of your client there.'
        }
      >
        <Facts
          facts={[
            ...samlFacts(connection, scope),
            ...connection.callbackUrls.map((url, index): [string, ReactNode] => [
              index === 0 ? 'Callback address' : `Callback address at ${new URL(url).hostname}`,
              <Copy key={url} value={url} />,
            ]),
          ]}
        />
      </Card>
      {connection.saml && <SamlMetadata path={path} saml={connection.saml} canWrite={canWrite} />}
      {canWrite && <TryIt path={path} />}
      {canWrite && <TestSignIn path={path} />}
      {canWrite && connection.saml && <LastResponse path={path} />}
      {connection.saml && (
        <SamlKey path={path} certificates={connection.saml.serviceProvider.certificates} canWrite={canWrite} />
      )}
      {connection.oidc && <ClientKey path={path} oidc={connection.oidc} canWrite={canWrite} />}
      <Edit path={path} connection={connection} reread={reread} canWrite={canWrite} />
    </Page>
  );
}

/** What an identity provider asks for by SAML. */
function samlFacts(
  { saml, callbackUrl }: ConnectionRecord,
  { workspaceId, projectId }: ReturnType<typeof useScope>,
): [string, ReactNode][] {
  if (!saml) return [];
  const metadata = `${callbackUrl.replace(/callback$/, 'metadata')}?workspaceId=${workspaceId}&projectId=${projectId}`;
  return [
    ['Metadata address', <Copy key="metadata" value={metadata} />],
    ['Entity id', <Copy key="entity" value={saml.serviceProvider.entityId} />],
    ['Logout address', <Copy key="logout" value={saml.serviceProvider.logoutUrl} />],
    ['Default RelayState', <Copy key="state" value={saml.idpInitiatedRelayState} />],
  ];
}

/** What the identity provider sent at the last sign-in, or why it was refused. */
function LastResponse({ path }: { path: Path }) {
  const last = useApi().useQuery('get', `${ONE}/saml/last-response`, { params: { path } }, { retry: false });
  const read = last.data;
  return (
    <Card
      split
      title="Last response"
      about="What came at the last sign-in, for a day."
      actions={
        <Button variant="default" size="compact-sm" loading={last.isFetching} onClick={() => last.refetch()}>
          Read again
        </Button>
      }
    >
      {read ? (
        <>
          <Alert color={read.accepted ? 'green' : 'red'} title={read.accepted ? 'Accepted' : `Refused: ${read.check}`}>
            {read.detail ?? `NameID ${read.nameId}`}
          </Alert>
          <Facts facts={Object.entries(read.attributes).map(([name, values]) => [name, values.join(', ')])} />
        </>
      ) : (
        <span>No response yet.</span>
      )}
    </Card>
  );
}

function TryIt({ path }: { path: Path }) {
  const test = useApi().useMutation('post', `${ONE}/test`);
  return (
    <TestCard
      about="Checks that the identity provider responds as configured. Signs nobody in."
      isPending={test.isPending}
      onTest={() => test.mutateAsync({ params: { path } })}
    />
  );
}

type Editable = {
  name: string;
  issuer: string;
  clientId: string;
  scopes: string[];
  clientSecret: string;
  idpInitiatedUrl: string;
  singleLogout: boolean;
  enabled: boolean;
  required: boolean;
  justInTime: boolean;
  roles: string[];
} & Mapping;

/** The secret is never shown; a new value replaces it. */
function editable(connection: ConnectionRecord): Editable {
  const { name, status, required, justInTime, roles, oidc, saml } = connection;
  return {
    ...{ name, required, justInTime, roles },
    issuer: oidc?.issuer ?? '',
    clientId: oidc?.clientId ?? '',
    scopes: oidc?.scopes ?? [],
    clientSecret: '',
    idpInitiatedUrl: saml?.idpInitiatedUrl ?? '',
    singleLogout: saml?.singleLogout ?? false,
    enabled: status === 'enabled',
    ...mappingOf(connection),
  };
}

/** What a change of the form sends. */
function changesOf({ issuer, clientId, scopes, clientSecret, enabled, ...others }: Partial<Editable>) {
  const { idpInitiatedUrl, singleLogout, attributes, groupRoles, ...same } = others;
  const oidc = {
    ...(issuer !== undefined && { issuer }),
    ...(clientId !== undefined && { clientId }),
    ...(scopes && { scopes }),
    ...(clientSecret && { clientSecret }),
  };
  const saml = {
    ...(idpInitiatedUrl !== undefined && { idpInitiatedUrl: idpInitiatedUrl || null }),
    ...(singleLogout !== undefined && { singleLogout }),
  };
  const status = enabled ? ('enabled' as const) : ('disabled' as const);
  return {
    ...same,
    ...mappingBody({ attributes, groupRoles }),
    ...(enabled !== undefined && { status }),
    ...(Object.keys(oidc).length > 0 && { oidc }),
    ...(Object.keys(saml).length > 0 && { saml }),
  };
}

function Edit({ path, connection, reread, canWrite }: DetailProps & Reread & { canWrite: boolean }) {
  const change = useApi().useMutation('patch', ONE);
  const record = useMemo(() => editable(connection), [connection]);
  const form = useRecordForm<Editable>({
    record,
    path: `/console/v1/organizations/${path.organizationId}/connections/${path.connectionId}`,
    save: {
      isPending: change.isPending,
      mutateAsync: async ({ changes, headers }) =>
        editable(await change.mutateAsync({ params: { path }, body: changesOf(changes), headers })),
    },
    reread: async () => {
      const { data } = await reread();
      return data ? { data: editable(data) } : {};
    },
    done: 'Connection saved',
    undone: 'Change undone',
  });
  return (
    <RecordFields form={form}>
      <ProviderFields form={form} canWrite={canWrite} connection={connection} />
      <PeopleFields form={form} canWrite={canWrite} />
      <AttributeFields form={form} canWrite={canWrite} />
      <GroupFields form={form} canWrite={canWrite} />
    </RecordFields>
  );
}

type FormProps = { form: ReturnType<typeof useRecordForm<Editable>>; canWrite: boolean };

function ProviderFields({ form, canWrite, connection }: FormProps & Pick<DetailProps, 'connection'>) {
  /** Errors of the provider's fields have the name of the protocol. */
  const errors: Record<string, string | undefined> = form.errors;
  return (
    <Card split title="Identity provider">
      <Fields canWrite={canWrite}>
        <TextInput label="Name" description="Shown to the people of the company." {...form.text('name')} />
        {connection.oidc && <OidcFields form={form} oidc={connection.oidc} />}
        {connection.saml && <SamlFields form={form} logoutUrl={connection.saml.logoutUrl} />}
        <FieldsFault>{errors['oidc'] ?? errors['saml']}</FieldsFault>
        <Switch
          label="Enabled"
          description="People at verified mail domains of the organization are sent there. Disabling it ends their sessions."
          checked={form.values.enabled}
          onChange={({ currentTarget: { checked } }) => form.set({ enabled: checked })}
        />
      </Fields>
    </Card>
  );
}

type OidcProps = Pick<FormProps, 'form'> & { oidc: NonNullable<ConnectionRecord['oidc']> };

function OidcFields({ form, oidc: { hasSecret, jwksUrl } }: OidcProps) {
  return (
    <>
      <TextInput label="Issuer" {...form.text('issuer')} />
      <TextInput label="Client id" {...form.text('clientId')} />
      <TagsInput
        label="Scopes"
        description="Some identity providers send groups only for a scope of their own."
        value={form.values.scopes}
        onChange={(scopes) => form.set({ scopes })}
      />
      {jwksUrl === null && (
        <PasswordInput
          label="Client secret"
          placeholder={hasSecret ? 'Stored; enter a new one to replace it' : ''}
          autoComplete="off"
          {...form.text('clientSecret')}
        />
      )}
    </>
  );
}

function SamlFields({ form, logoutUrl }: Pick<FormProps, 'form'> & { logoutUrl: string | null }) {
  return (
    <>
      <TextInput
        type="url"
        label="Start address"
        description="Where sign-ins that begin at the identity provider are sent: a page of your application that begins a sign-in. Enter the default RelayState at the identity provider. Empty: they are refused."
        placeholder="https://app.example.com/start"
        maxLength={2000}
        {...form.text('idpInitiatedUrl')}
      />
      <Switch
        label="Single logout"
        description={
          logoutUrl === null
            ? 'The metadata of the identity provider have no logout address, so people log out here only.'
            : 'People who log out at the hosted pages log out at the identity provider, too.'
        }
        checked={form.values.singleLogout}
        onChange={({ currentTarget: { checked } }) => form.set({ singleLogout: checked })}
      />
    </>
  );
}

function PeopleFields({ form: { values, set }, canWrite }: FormProps) {
  return (
    <Card split title="People">
      <Fields canWrite={canWrite}>
        <Switch
          label="Required"
          description="People at verified mail domains enter the organization in no other way."
          checked={values.required}
          onChange={({ currentTarget: { checked } }) => set({ required: checked })}
        />
        <Switch
          label="Add people at sign-in"
          description="With a new account if they have none. Otherwise only members sign in."
          checked={values.justInTime}
          onChange={({ currentTarget: { checked } }) => set({ justInTime: checked })}
        />
        {values.justInTime && (
          <Fieldset variant="unstyled" legend="Roles of the people who are added">
            <RoleChoices chosen={values.roles} onChange={(roles) => set({ roles })} without={OWNER} />
          </Fieldset>
        )}
      </Fields>
    </Card>
  );
}
