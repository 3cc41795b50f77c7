import { Button, Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Action } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { SecretOnce } from '#ui/SecretOnce.tsx';

const DAY_SECONDS = 86_400;

/** Enable or disable, rotate the secret, and remove. */
export function ActionControls({ action: { id, name, enabled } }: { action: Action }) {
  const api = useApi();
  const at = useAt();
  const navigate = useNavigate();
  const [secret, setSecret] = useState<string | null>(null);
  const changing = api.useMutation('patch', '/console/v1/actions/{actionId}');
  const change = useAction(changing);
  const rotating = useAction(api.useMutation('post', '/console/v1/actions/{actionId}/secret/rotate'));
  const removing = useAction(api.useMutation('delete', '/console/v1/actions/{actionId}'));
  const params = { path: { actionId: id } };
  const turn = () => {
    const done = enabled ? 'Disabled' : 'Enabled';
    const undo = { act: () => changing.mutateAsync({ params, body: { enabled } }), done: 'Change undone' };
    return change.run({ params, body: { enabled: !enabled } }, { done, change: enabled ? 'Disable' : 'Enable', undo });
  };
  const rotate = async () => {
    const question = {
      title: 'Rotate the secret?',
      body: 'Calls are signed with both secrets for a day, so you can update your code without downtime.',
      action: 'Rotate',
    };
    const body = { overlapSeconds: DAY_SECONDS };
    const rotated = await rotating.run({ params, body }, { done: 'Secret rotated', question });
    if (rotated) setSecret(rotated.secret);
  };
  const remove = async () => {
    const question = {
      title: 'Remove this action?',
      body: 'It is called no more, and its log is removed.',
      action: 'Remove',
      danger: true,
      typeName: name,
    };
    const removed = await removing.run({ params }, { done: 'Action removed', question });
    if (removed !== null) await navigate({ to: at('/actions') });
  };
  return (
    <>
      <Button variant={enabled ? 'default' : 'filled'} loading={change.busy} onClick={turn}>
        {enabled ? 'Disable' : 'Enable'}
      </Button>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <Button variant="default">More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={rotate}>Rotate the secret…</Menu.Item>
          <Menu.Divider />
          <Menu.Item c="var(--lk-bad)" onClick={remove}>
            Remove…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {secret && <SecretOnce title="New signing secret" secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}
