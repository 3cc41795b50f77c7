import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Application } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { Card } from '#ui/page.tsx';
import { SecretOnce } from '#ui/SecretOnce.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';

/** Two secrets can be valid at once, so that one can be rotated without downtime. */
const MAX_SECRETS = 2;

export function Secrets({ application, canWrite }: { application: Application; canWrite: boolean }) {
  const api = useApi();
  const { id, secrets } = application;
  const [secret, setSecret] = useState<string | null>(null);
  const add = useAction(api.useMutation('post', '/console/v1/applications/{id}/secrets'));
  const remove = useAction(api.useMutation('delete', '/console/v1/applications/{id}/secrets/{secretId}'));
  const isFull = secrets.length >= MAX_SECRETS;
  const onAdd = async () => {
    if (isFull || add.busy) return;
    const added = await add.run({ params: { path: { id } } }, { done: 'Secret added', change: 'Add secret' });
    if (added) setSecret(added.secret);
  };
  const onRemove = (secretId: string, hint: string) =>
    remove.run(
      { params: { path: { id, secretId } } },
      {
        done: 'Secret removed',
        question: {
          title: `Remove the secret that ends in ${hint}?`,
          body: 'Code that uses it stops working immediately.',
          action: 'Remove',
          danger: true,
        },
      },
    );
  return (
    <Card
      flush
      title="Secrets"
      about="To rotate without downtime, add a second secret, deploy it to your servers, then remove the first."
      actions={
        canWrite && (
          <Button
            variant="default"
            size="compact-sm"
            // A disabled button would lose the focus, which the dialog of the new secret returns to it.
            aria-disabled={isFull}
            data-disabled={isFull || undefined}
            onClick={onAdd}
          >
            Add secret
          </Button>
        )
      }
    >
      <Table
        label="Secrets"
        rows={secrets}
        keyOf={({ id: secretId }) => secretId}
        empty="No secrets: the application can’t authenticate"
        columns={[
          { name: 'Secret', cell: ({ hint }) => <code>…{hint}</code> },
          { name: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            name: '',
            align: 'right',
            cell: ({ id: secretId, hint }) =>
              canWrite && (
                <Button
                  variant="subtle"
                  color="gray"
                  size="compact-xs"
                  aria-label={`Remove the secret ${hint}`}
                  onClick={() => onRemove(secretId, hint)}
                >
                  Remove
                </Button>
              ),
          },
        ]}
      />
      {secret && <SecretOnce title="New client secret" secret={secret} onClose={() => setSecret(null)} />}
    </Card>
  );
}
