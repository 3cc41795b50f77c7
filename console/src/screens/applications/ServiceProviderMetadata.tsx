import { Button, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { Problem } from '#api/problem.ts';
import type { Application } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { notifyProblem } from '#ui/notice.tsx';
import { Card, Facts } from '#ui/page.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { describedBy } from './described-by.ts';

const APPLICATION = '/console/v1/applications/{id}';

type Saml = NonNullable<Application['saml']>;
type Props = { id: string; saml: Saml; canWrite: boolean };

/** Where the settings of a service provider come from, and its certificates. */
export function ServiceProviderMetadata({ id, saml, canWrite }: Props) {
  const [open, { open: show, close }] = useDisclosure(false);
  const { metadataUrl, metadataReadAt, metadataFault, certificates } = saml;
  return (
    <Card
      title="Metadata of the service provider"
      about={
        metadataUrl === null
          ? 'They were pasted or never given, so nothing here changes by itself.'
          : 'They are read again every day. Settings that you changed stay as you wrote them.'
      }
      actions={
        canWrite && (
          <>
            {metadataUrl !== null && <ReadNow id={id} />}
            <Button variant="default" size="compact-sm" onClick={show}>
              Change metadata
            </Button>
          </>
        )
      }
    >
      <Facts
        facts={[
          ['Source', metadataUrl ?? 'Pasted or entered by hand'],
          ...(metadataUrl === null
            ? []
            : ([['Read', metadataReadAt === null ? 'Never' : <Time key="read" at={metadataReadAt} />]] as const)),
          ...(metadataFault === null ? [] : ([['Last reading failed', metadataFault]] as const)),
        ]}
      />
      <Table
        label="Certificates of the service provider"
        rows={certificates}
        keyOf={({ use, fingerprint }) => `${use} ${fingerprint}`}
        empty="No certificates: its messages cannot be signed, and assertions are not encrypted"
        columns={[
          { name: 'Use', short: true, cell: ({ use }) => (use === 'signing' ? 'Signs' : 'Encrypts') },
          { name: 'Subject', cell: ({ subject }) => subject },
          {
            name: 'Fingerprint',
            wide: true,
            cell: ({ fingerprint }) => <code title={fingerprint}>{fingerprint.slice(0, 23)}…</code>,
          },
          { name: 'Valid until', cell: ({ validUntil }) => <Time at={validUntil} /> },
        ]}
      />
      {open && <ChangeMetadata id={id} metadataUrl={metadataUrl} onClose={close} />}
    </Card>
  );
}

function ReadNow({ id }: Pick<Props, 'id'>) {
  const change = useAction(useApi().useMutation('patch', APPLICATION));
  const onProblem = (problem: Problem) => {
    notifyProblem({ ...problem, detail: problem.fields['saml'] ?? problem.detail });
    return true;
  };
  const read = () =>
    change.run(
      { params: { path: { id } }, body: { saml: { refresh: true } } },
      { done: 'Metadata read', change: 'Read metadata', onProblem },
    );
  return (
    <Button variant="default" size="compact-sm" loading={change.busy} onClick={read}>
      Read now
    </Button>
  );
}

type ChangeProps = Pick<Props, 'id'> & { metadataUrl: string | null; onClose: () => void };

function ChangeMetadata({ id, metadataUrl, onClose }: ChangeProps) {
  const [metadata, setMetadata] = useState(metadataUrl ?? '');
  const { faults, onProblem } = useFaults('saml');
  const change = useAction(useApi().useMutation('patch', APPLICATION));
  const submit = async () => {
    const init = { params: { path: { id } }, body: { saml: describedBy(metadata) } };
    if (await change.run(init, { done: 'Metadata changed', change: 'Change metadata', onProblem })) onClose();
  };
  return (
    <FormDialog title="Change the metadata" action="Save" busy={change.busy} onSubmit={submit} onClose={onClose}>
      <Textarea
        required
        label="Metadata of the service provider"
        description="The address of the metadata, or the XML. Metadata at an address are read again every day."
        placeholder="https://app.example.com/saml/metadata"
        autosize
        maxRows={10}
        value={metadata}
        error={faults['saml']}
        onChange={({ currentTarget }) => setMetadata(currentTarget.value)}
      />
      <Text size="sm">They replace the entity id, the addresses and the certificates.</Text>
    </FormDialog>
  );
}
