import { Alert, Stack } from '@mantine/core';
import type { DeliveryDetail } from '#api/records.ts';
import { CodeBlock, Copy } from '#ui/copy.tsx';
import { Card, Facts } from '#ui/page.tsx';
import { Empty } from '#ui/states.tsx';

/** The payload and headers of a delivery. */
export function Payload({ payload: { state, body, headers } }: Pick<DeliveryDetail, 'payload'>) {
  if (body === null)
    return (
      <Card title="Payload">
        {state === 'gone' ? (
          <Empty title="Event no longer in the log">The payload can’t be shown or sent again.</Empty>
        ) : (
          <Empty title="Payload hidden">
            The recipient isn’t one of your endpoints, for example a status subscriber. The payload may contain private
            links.
          </Empty>
        )}
      </Card>
    );
  return (
    <>
      <Card title="Payload" about="Formatted for reading. Copy returns it exactly as signed and sent.">
        <Stack gap="md">
          {state === 'erased' && (
            <Alert color="yellow" p="sm" title="A person in this event was erased">
              The original payload contained their address. The log no longer does, and a retry sends what is shown
              here.
            </Alert>
          )}
          <CodeBlock code={pretty(body)} exact={body} name="the payload" />
        </Stack>
      </Card>
      <Card
        title="Headers"
        about="The endpoint’s current headers. Each attempt adds its own webhook-timestamp and webhook-signature."
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
