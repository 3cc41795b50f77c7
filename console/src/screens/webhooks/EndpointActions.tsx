import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { WebhookEndpoint } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { SecretOnce } from '#ui/SecretOnce.tsx';
import { Recover, Replay } from './Replay.tsx';

const DAY_SECONDS = 86_400;

export function EndpointActions({ endpoint }: { endpoint: WebhookEndpoint }) {
  const [secret, setSecret] = useState<string | null>(null);
  const [replay, replayControl] = useDisclosure(false);
  const [recover, recoverControl] = useDisclosure(false);
  const { test, enable, disable, rotate, remove } = useEndpointActions(endpoint, setSecret);
  return (
    <>
      <Button variant="default" onClick={test}>
        Send test
      </Button>
      {!endpoint.enabled && <Button onClick={enable}>Enable</Button>}
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <Button variant="default">More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={recoverControl.open}>Retry all failed since…</Menu.Item>
          <Menu.Item onClick={replayControl.open}>Replay events…</Menu.Item>
          <Menu.Item onClick={rotate}>Rotate the secret…</Menu.Item>
          {endpoint.enabled && <Menu.Item onClick={disable}>Disable…</Menu.Item>}
          <Menu.Divider />
          <Menu.Item c="var(--lk-bad)" onClick={remove}>
            Remove…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {recover && <Recover endpointId={endpoint.id} onClose={recoverControl.close} />}
      {replay && <Replay endpointId={endpoint.id} onClose={replayControl.close} />}
      {secret && <SecretOnce title="New signing secret" secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}

function useEndpointActions({ id, url }: WebhookEndpoint, onSecret: (secret: string) => void) {
  const api = useApi();
  const at = useAt();
  const navigate = useNavigate();
  const test = useAction(api.useMutation('post', '/console/v1/webhooks/endpoints/{endpointId}/test'));
  const enabling = api.useMutation('post', '/console/v1/webhooks/endpoints/{endpointId}/enable');
  const disabling = api.useMutation('post', '/console/v1/webhooks/endpoints/{endpointId}/disable');
  const enable = useAction(enabling);
  const disable = useAction(disabling);
  const rotate = useAction(api.useMutation('post', '/console/v1/webhooks/endpoints/{endpointId}/secret/rotate'));
  const remove = useAction(api.useMutation('delete', '/console/v1/webhooks/endpoints/{endpointId}'));
  const params = { path: { endpointId: id } };
  return {
    test: () =>
      test.run(
        { params, body: {} },
        { done: ({ eventType }) => `Test event ${eventType} sent`, change: 'Send a test' },
      ),
    enable: () =>
      enable.run(
        { params },
        { done: 'Enabled', change: 'Enable', undo: { act: () => disabling.mutateAsync({ params }), done: 'Disabled' } },
      ),
    disable: () =>
      disable.run(
        { params },
        {
          done: 'Disabled',
          undo: { act: () => enabling.mutateAsync({ params }), done: 'Enabled' },
          question: {
            title: 'Disable this endpoint?',
            body: 'You can replay missed events later.',
            action: 'Disable',
            danger: true,
          },
        },
      ),
    rotate: async () => {
      const question = {
        title: 'Rotate the secret?',
        body: 'Deliveries are signed with both secrets for a day, so you can update your code without downtime.',
        action: 'Rotate',
      };
      const rotated = await rotate.run(
        { params, body: { overlapSeconds: DAY_SECONDS } },
        { done: 'Secret rotated', question },
      );
      if (rotated) onSecret(rotated.secret);
    },
    remove: async () => {
      const question = {
        title: 'Remove this endpoint?',
        body: 'Pending deliveries are cancelled. Past ones stay in the log until their retention ends.',
        action: 'Remove',
        danger: true,
        typeName: url,
      };
      const removed = await remove.run({ params }, { done: 'Endpoint removed', question });
      if (removed !== null) await navigate({ to: at('/webhooks') });
    },
  };
}
