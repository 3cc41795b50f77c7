import { Alert, Button } from '@mantine/core';
import { useState } from 'react';
import { Card } from './page.tsx';

type Result = { ok: boolean; detail: string };
type TestCardProps = {
  about: string;
  isPending: boolean;
  /** Rejects if there is no result, which has been reported already. */
  onTest: () => Promise<Result>;
};

/** Tests a configuration when asked, and shows the result. */
export function TestCard({ about, isPending, onTest }: TestCardProps) {
  const [result, setResult] = useState<Result | null>(null);
  return (
    <Card
      split
      title="Test"
      about={about}
      actions={
        <Button
          variant="default"
          size="compact-sm"
          loading={isPending}
          onClick={async () => setResult(await onTest().catch(() => null))}
        >
          Test now
        </Button>
      }
    >
      {result ? (
        <Alert color={result.ok ? 'green' : 'red'} title={result.ok ? 'Test succeeded' : 'Test failed'} role="status">
          {result.detail}
        </Alert>
      ) : (
        <span>Not tested yet.</span>
      )}
    </Card>
  );
}
