import { Button, Select, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { ScimToken } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { Card } from '#ui/page.tsx';
import { SecretOnce } from '#ui/SecretOnce.tsx';
import { Empty, Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';

type TokensProps = { organizationId: string; canWrite: boolean };

/** The tokens of the organization's directories. */
export function ScimTokens({ organizationId, canWrite }: TokensProps) {
  const [open, { open: show, close }] = useDisclosure(false);
  const [secret, setSecret] = useState<string | null>(null);
  const tokens = useApi().useQuery('get', '/console/v1/organizations/{organizationId}/scim/tokens', {
    params: { path: { organizationId }, query: { limit: 100 } },
  });
  return (
    <Card
      flush
      title="Tokens"
      about="To replace a token without a pause, issue a second one, enter it in the directory, then remove the first."
      actions={canWrite && <Button onClick={show}>Issue token</Button>}
    >
      <Loaded query={tokens}>
        {({ items }) => (
          <Table
            label="Tokens"
            rows={items}
            keyOf={({ id }) => id}
            empty={<Empty title="No tokens yet">A directory needs a token to add and remove members.</Empty>}
            columns={[
              { name: 'Name', cell: ({ name }) => name },
              { name: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} none="Never" /> },
              { name: 'Expires', wide: true, cell: ({ expiresAt }) => <Time at={expiresAt} none="Never" /> },
              { name: 'Issued', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                name: '',
                align: 'right',
                cell: (token) => canWrite && <RemoveToken organizationId={organizationId} token={token} />,
              },
            ]}
          />
        )}
      </Loaded>
      {open && <NewToken organizationId={organizationId} onIssued={setSecret} onClose={close} />}
      {secret && <SecretOnce title="New SCIM token" secret={secret} onClose={() => setSecret(null)} />}
    </Card>
  );
}

function RemoveToken({ organizationId, token: { id, name } }: { organizationId: string; token: ScimToken }) {
  const remove = useAction(
    useApi().useMutation('delete', '/console/v1/organizations/{organizationId}/scim/tokens/{tokenId}'),
  );
  const onRemove = () =>
    remove.run(
      { params: { path: { organizationId, tokenId: id } } },
      {
        done: 'Token removed',
        question: {
          title: `Remove the token ${name}?`,
          body: 'The next request with it is refused. The people and groups that it provisioned stay.',
          action: 'Remove',
          danger: true,
        },
      },
    );
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-xs"
      aria-label={`Remove the token ${name}`}
      loading={remove.busy}
      onClick={onRemove}
    >
      Remove
    </Button>
  );
}

/** Seconds until a token expires. */
const LIFETIMES = [
  { value: '', label: 'Never' },
  { value: '7776000', label: 'In 90 days' },
  { value: '31536000', label: 'In a year' },
  { value: '63072000', label: 'In two years' },
];

type NewTokenProps = { organizationId: string; onIssued: (secret: string) => void; onClose: () => void };

function NewToken({ organizationId, onIssued, onClose }: NewTokenProps) {
  const [name, setName] = useState('');
  const [lifetime, setLifetime] = useState('');
  const { faults, onProblem } = useFaults('name');
  const issue = useAction(useApi().useMutation('post', '/console/v1/organizations/{organizationId}/scim/tokens'));
  const submit = async () => {
    const issued = await issue.run(
      {
        params: { path: { organizationId } },
        body: { name, ...(lifetime !== '' && { expiresIn: Number(lifetime) }) },
      },
      { done: 'Token issued', change: 'Issue token', onProblem },
    );
    if (!issued) return;
    onClose();
    onIssued(issued.token);
  };
  return (
    <FormDialog title="Issue a SCIM token" action="Issue" busy={issue.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label="Name"
        description="Such as the directory’s name."
        maxLength={100}
        value={name}
        error={faults['name']}
        onChange={({ currentTarget: { value } }) => setName(value)}
      />
      <Select
        label="Expires"
        allowDeselect={false}
        data={LIFETIMES}
        value={lifetime}
        error={faults['expiresIn']}
        onChange={(chosen) => setLifetime(chosen ?? '')}
      />
    </FormDialog>
  );
}
