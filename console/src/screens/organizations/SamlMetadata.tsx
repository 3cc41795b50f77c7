import { Button, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import type { Problem } from '#api/problem.ts';
import type { OrganizationConnection } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { notifyProblem } from '#ui/notice.tsx';
import { Card, Facts } from '#ui/page.tsx';
import { Time } from '#ui/time.tsx';

const CONNECTION = '/console/v1/organizations/{organizationId}/connections/{connectionId}';

type Path = { organizationId: string; connectionId: string };
type Saml = NonNullable<OrganizationConnection['saml']>;
type Metadata = { source: 'address' | 'xml'; address: string; xml: string };

/** What the API takes of the metadata that a person entered. */
export function metadataBody({ source, address, xml }: Metadata) {
  return source === 'xml' ? { metadata: xml } : { metadataUrl: address };
}

export const NO_METADATA: Metadata = { source: 'address', address: '', xml: '' };

type FieldsProps = { value: Metadata; error: string | undefined; onChange: (value: Metadata) => void };

/** The metadata of an identity provider, by address or as XML. */
export function MetadataFields({ value, error, onChange }: FieldsProps) {
  const { source, address, xml } = value;
  return (
    <>
      <SegmentedControl
        aria-label="Metadata"
        data={[
          { value: 'address', label: 'By address' },
          { value: 'xml', label: 'As XML' },
        ]}
        value={source}
        onChange={(chosen) => onChange({ ...value, source: chosen === 'xml' ? 'xml' : 'address' })}
      />
      {source === 'xml' ? (
        <Textarea
          required
          label="Metadata as XML"
          description="They stay until you paste others, also when the identity provider replaces its certificate."
          placeholder="<md:EntityDescriptor …"
          minRows={6}
          maxRows={12}
          maxLength={200_000}
          spellCheck={false}
          error={error}
          value={xml}
          onChange={({ currentTarget }) => onChange({ ...value, xml: currentTarget.value })}
        />
      ) : (
        <TextInput
          required
          type="url"
          label="Metadata address"
          description="Where the identity provider publishes its metadata. They are read again every day."
          placeholder="https://login.example.com/metadata.xml"
          error={error}
          value={address}
          onChange={({ currentTarget }) => onChange({ ...value, address: currentTarget.value })}
        />
      )}
    </>
  );
}

type CardProps = { path: Path; saml: Saml; canWrite: boolean };

/** What is known about the identity provider from its metadata. */
export function SamlMetadata({ path, saml, canWrite }: CardProps) {
  const [open, { open: show, close }] = useDisclosure(false);
  return (
    <Card
      split
      title="Metadata"
      about="What the identity provider says about itself."
      actions={
        canWrite && (
          <>
            {saml.metadataUrl !== null && <ReadAgain path={path} />}
            <Button variant="default" size="compact-sm" onClick={show}>
              Change metadata
            </Button>
          </>
        )
      }
    >
      <Facts
        facts={[
          ['Identity provider', saml.entityId],
          ['Sign-in page', saml.signOnUrl],
          ['Logout address', saml.logoutUrl ?? 'None'],
          ...certificateFacts(saml),
          ['Source', saml.metadataUrl ?? 'Pasted'],
          ['Read', <Time key="read" at={saml.metadataReadAt} />],
          ...(saml.metadataFault === null ? [] : [['Last reading failed', saml.metadataFault] as const]),
        ]}
      />
      {open && <ChangeMetadata path={path} metadataUrl={saml.metadataUrl} onClose={close} />}
    </Card>
  );
}

function certificateFacts({ certificates }: Saml): [string, ReactNode][] {
  return certificates.map(({ fingerprint, validUntil }, index) => [
    certificates.length === 1 ? 'Certificate' : `Certificate ${index + 1}`,
    <span key={fingerprint}>
      {fingerprint}, expires <Time at={validUntil} />
    </span>,
  ]);
}

function ReadAgain({ path }: { path: Path }) {
  const change = useAction(useApi().useMutation('patch', CONNECTION));
  const onProblem = (problem: Problem) => {
    notifyProblem({ ...problem, detail: problem.fields['saml'] ?? problem.detail });
    return true;
  };
  const read = () =>
    change.run(
      { params: { path }, body: { saml: { refresh: true } } },
      { done: 'Metadata read', change: 'Read metadata', onProblem },
    );
  return (
    <Button variant="default" size="compact-sm" loading={change.busy} onClick={read}>
      Read now
    </Button>
  );
}

type ChangeProps = { path: Path; metadataUrl: string | null; onClose: () => void };

function ChangeMetadata({ path, metadataUrl, onClose }: ChangeProps) {
  const source = metadataUrl === null ? 'xml' : 'address';
  const [metadata, setMetadata] = useState<Metadata>({ source, address: metadataUrl ?? '', xml: '' });
  const { faults, onProblem } = useFaults('saml');
  const change = useAction(useApi().useMutation('patch', CONNECTION));
  const submit = async () => {
    const init = { params: { path }, body: { saml: metadataBody(metadata) } };
    if (await change.run(init, { done: 'Metadata changed', change: 'Change metadata', onProblem })) onClose();
  };
  return (
    <FormDialog title="Change the metadata" action="Save" busy={change.busy} onSubmit={submit} onClose={onClose}>
      <MetadataFields value={metadata} error={faults['saml']} onChange={setMetadata} />
      <span>Metadata of another identity provider end the sessions that began through the connection.</span>
    </FormDialog>
  );
}
