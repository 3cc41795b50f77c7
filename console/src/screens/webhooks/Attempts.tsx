import { Accordion, Text } from '@mantine/core';
import type { DeliveryDetail } from '#api/records.ts';
import { Badge, sentence } from '#ui/badge.tsx';
import { CodeBlock, Copy } from '#ui/copy.tsx';
import { Card, Facts } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import classes from './attempts.module.css';

type Attempt = DeliveryDetail['attempts'][number];

/** Every attempt with its response; the last one is expanded. */
export function Attempts({ attempts }: Pick<DeliveryDetail, 'attempts'>) {
  const [{ attempt = String(attempts.length) }, setFilters] = useFilters();
  return (
    <Card flush title="Attempts">
      {attempts.length === 0 ? (
        <Empty title="No attempts yet" />
      ) : (
        <Accordion
          order={3}
          value={attempt}
          onChange={(value) => setFilters({ attempt: value ?? 'none' }, { replace: true })}
        >
          {attempts.map((one, index) => (
            <Accordion.Item key={one.startedAt} value={String(index + 1)}>
              <Accordion.Control>
                <span className={classes.line}>
                  <Outcome attempt={one} />
                  <span>Attempt {index + 1}</span>
                  <span className={classes.quiet}>
                    <Time at={one.startedAt} />, {one.durationMs.toLocaleString('en')} ms
                  </span>
                </span>
              </Accordion.Control>
              <Accordion.Panel>
                <CameBack attempt={one} />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
    </Card>
  );
}

function Outcome({ attempt: { statusCode } }: { attempt: Attempt }) {
  const well = statusCode !== null && statusCode >= 200 && statusCode < 300;
  return <Badge tone={well ? 'good' : 'bad'}>{statusCode ?? 'No response'}</Badge>;
}

function CameBack({ attempt }: { attempt: Attempt }) {
  const { startedAt, durationMs, statusCode, error, responseSnippet, trigger } = attempt;
  const timestamp = String(Math.floor(Date.parse(startedAt) / 1000));
  return (
    <>
      <Facts
        facts={[
          ['Trigger', sentence(trigger)],
          ['Status', statusCode ?? 'None'],
          ...(error === null ? [] : [['Fault', error] as const]),
          ['Took', `${durationMs.toLocaleString('en')} ms`],
          ['webhook-timestamp', <Copy key="timestamp" value={timestamp} />],
        ]}
      />
      <Text size="sm" c="var(--lk-quiet)" my="xs">
        {responseSnippet ? 'Start of the response:' : 'The response had no body.'}
      </Text>
      {responseSnippet && <CodeBlock code={responseSnippet} name="the response" />}
    </>
  );
}
