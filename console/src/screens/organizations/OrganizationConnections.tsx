import { Button, PasswordInput, SegmentedControl, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Organization } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { Badge } from '#ui/badge.tsx';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { Card } from '#ui/page.tsx';
import { Empty, Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { OrganizationPage } from './OrganizationPage.tsx';
import { MetadataFields, metadataBody, NO_METADATA } from './SamlMetadata.tsx';

/** The identity providers through which people of an organization sign in. */
export function OrganizationConnections() {
  return <OrganizationPage>{({ organization }) => <List organization={organization} />}</OrganizationPage>;
}

function List({ organization }: { organization: Organization }) {
  const at = useAt();
  const canWrite = useMayConnect();
  const [open, { open: show, close }] = useDisclosure(false);
  const connections = useApi().useQuery('get', '/console/v1/organizations/{organizationId}/connections', {
    params: { path: { organizationId: organization.id }, query: { limit: 100 } },
  });
  return (
    <Card
      flush
      title="Connections"
      about="The identity providers that people at the company’s mail domains sign in through."
      actions={canWrite && <Button onClick={show}>Add connection</Button>}
    >
      <Loaded query={connections}>
        {({ items }) => (
          <Table
            label="Connections"
            rows={items}
            keyOf={({ id }) => id}
            href={({ id }) => at(`/organizations/${organization.id}/connections/${id}`)}
            empty={
              <Empty title="No connections yet">With one, people sign in with the accounts of their company.</Empty>
            }
            columns={[
              { name: 'Name', cell: ({ name }) => name },
              { name: 'State', cell: ({ status }) => <ConnectionState status={status} /> },
              { name: 'Provider', wide: true, cell: ({ oidc, saml }) => oidc?.issuer ?? saml?.entityId ?? '–' },
              { name: 'Required', wide: true, cell: ({ required }) => (required ? 'Yes' : 'No') },
              { name: 'Added', wide: true, align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </Loaded>
      {open && <NewConnection organizationId={organization.id} onClose={close} />}
    </Card>
  );
}

/** Connections take both permissions. */
export function useMayConnect(): boolean {
  const [organizations, providers] = [useCan('organizations:write'), useCan('providers:write')];
  return organizations && providers;
}

export function ConnectionState({ status }: { status: 'enabled' | 'disabled' }) {
  return <Badge tone={status === 'enabled' ? 'good' : 'quiet'}>{status === 'enabled' ? 'Enabled' : 'Disabled'}</Badge>;
}

type Draft = { name: string; issuer: string; clientId: string; clientSecret: string };
type Protocol = 'oidc' | 'saml';

function NewConnection({ organizationId, onClose }: { organizationId: string; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({ name: '', issuer: '', clientId: '', clientSecret: '' });
  const [metadata, setMetadata] = useState(NO_METADATA);
  const [protocol, setProtocol] = useState<Protocol>('oidc');
  const { faults, onProblem } = useFaults('name');
  const create = useAction(useApi().useMutation('post', '/console/v1/organizations/{organizationId}/connections'));
  const navigate = useNavigate();
  const at = useAt();
  const { name, issuer, clientId, clientSecret } = draft;
  const field = (key: keyof Draft) => ({
    value: draft[key],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setDraft((before) => ({ ...before, [key]: value })),
  });
  const submit = async () => {
    const oidc = { issuer, clientId, ...(clientSecret && { clientSecret }) };
    const body = protocol === 'oidc' ? { name, oidc } : { name, saml: metadataBody(metadata) };
    const made = await create.run(
      { params: { path: { organizationId } }, body },
      { done: 'Connection added', change: 'Add connection', onProblem },
    );
    if (made) await navigate({ to: at(`/organizations/${organizationId}/connections/${made.id}`) });
  };
  return (
    <FormDialog title="Add a connection" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label="Name"
        description="Shown to the people of the company."
        maxLength={100}
        error={faults['name']}
        {...field('name')}
      />
      <SegmentedControl
        aria-label="Protocol"
        data={[
          { value: 'oidc', label: 'OpenID Connect' },
          { value: 'saml', label: 'SAML' },
        ]}
        value={protocol}
        onChange={(value) => setProtocol(value === 'saml' ? 'saml' : 'oidc')}
      />
      {protocol === 'saml' ? (
        <MetadataFields value={metadata} error={faults['saml']} onChange={setMetadata} />
      ) : (
        <>
          <TextInput
            required
            type="url"
            label="Issuer"
            description="The address of the OpenID provider."
            placeholder="https://login.example.com"
            error={faults['oidc']}
            {...field('issuer')}
          />
          <TextInput required label="Client id" {...field('clientId')} />
          <PasswordInput label="Client secret" autoComplete="off" {...field('clientSecret')} />
        </>
      )}
    </FormDialog>
  );
}
