import { Alert, Button } from '@mantine/core';
import { useState } from 'react';
import type { ActionTest as Result } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { CodeBlock } from '#ui/copy.tsx';
import { Card } from '#ui/page.tsx';

const RESULTS: Readonly<Record<Result['decision'], { title: string; color: string }>> = {
  allow: { title: 'The action allowed the example', color: 'green' },
  refuse: { title: 'The action refused the example', color: 'yellow' },
  failed: { title: 'The call failed', color: 'red' },
};

/** Calls the action with an example, and shows what was sent and answered. */
export function ActionTest({ actionId }: { actionId: string }) {
  const [result, setResult] = useState<Result | null>(null);
  const trial = useAction(useApi().useMutation('post', '/console/v1/actions/{actionId}/test'));
  const run = async () => {
    const params = { path: { actionId } };
    setResult(await trial.run({ params }, { done: 'Example sent', change: 'Test the action' }));
  };
  return (
    <Card
      split
      title="Test"
      about="Sends an example of its moment, also while the action is disabled. Nothing follows from the response."
      actions={
        <Button variant="default" size="compact-sm" loading={trial.busy} onClick={run}>
          Test now
        </Button>
      }
    >
      {result ? <Shown result={result} /> : <span>Not tested yet.</span>}
    </Card>
  );
}

function Shown({ result: { decision, statusCode, durationMs, error, request, response } }: { result: Result }) {
  const { title, color } = RESULTS[decision];
  const facts = [statusCode === null ? null : `Status ${statusCode}`, `${durationMs} ms`, error].filter(Boolean);
  return (
    <>
      <Alert color={color} title={title} role="status" mb="sm">
        {facts.join(' · ')}
      </Alert>
      <CodeBlock wrapped code={JSON.stringify(request, null, 2)} name="the request" />
      {response !== null && <CodeBlock wrapped code={JSON.stringify(response, null, 2)} name="the response" />}
    </>
  );
}
