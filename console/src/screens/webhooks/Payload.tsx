import { Alert, Stack } from '@mantine/core';
import type { DeliveryDetail } from '#api/records.ts';
import { CodeBlock, Copy } from '#ui/copy.tsx';
import { Card, Facts } from '#ui/page.tsx';
import { Empty } from '#ui/states.tsx';

/** What a delivery sends. */
export function Payload({ payload: { state, body, headers } }: Pick<DeliveryDetail, 'payload'>) {
  if (body === null)
    return (
      <Card title="Payload">
        {state === 'gone' ? (
          <Empty title="The event is no longer in the log">
            What was sent can’t be shown any more, and a retry has nothing to send.
          </Empty>
        ) : (
          <Empty title="Not shown">
            This went to a receiver that is no endpoint of yours, such as a status subscriber. It may hold links that
            only they are to have.
          </Empty>
        )}
      </Card>
    );
  return (
    <>
      <Card title="Payload" about="Shown with line breaks; Copy takes it as it is signed and sent.">
        <Stack gap="md">
          {state === 'erased' && (
            <Alert color="yellow" p="sm" title="Somebody in it was erased">
              It was sent with their address; the log no longer has it, and a retry sends it as it stands here.
            </Alert>
          )}
          <CodeBlock code={pretty(body)} exact={body} name="the payload" />
        </Stack>
      </Card>
      <Card
        title="Headers"
        about="As the endpoint has them now. Each attempt adds webhook-timestamp and a webhook-signature of its own."
      >
        <Facts
          facts={Object.entries(headers).map(
            ([name, value]) => [name, <Copy key={name} value={value} name={name} />] as const,
          )}
        />
      </Card>
    </>
  );
}

function pretty(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2);
}
