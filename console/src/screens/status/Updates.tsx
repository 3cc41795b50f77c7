import { Button, Group, Select, Stack, Text, Textarea, Timeline } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { sentence } from '#ui/badge.tsx';
import { Card } from '#ui/page.tsx';
import { Time } from '#ui/time.tsx';

type Update = { phase: string; body: string; at: string };

/** The published updates of an incident or maintenance, newest first. */
export function Updates({ updates }: { updates: readonly Update[] }) {
  return (
    <Card title="Updates">
      <Timeline active={updates.length} bulletSize={12} lineWidth={2}>
        {updates.map((update) => (
          <Timeline.Item key={`${update.at} ${update.phase}`} title={sentence(update.phase)}>
            <Text size="sm">{update.body}</Text>
            <Text size="xs" c="var(--lk-quiet)">
              <Time at={update.at} />
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Card>
  );
}

type WriteUpdateProps<P extends string> = {
  phases: readonly P[];
  phase: P;
  busy: boolean;
  /** @returns whether it was published */
  onPublish: (update: { phase: P; body: string }) => Promise<boolean>;
  children?: ReactNode;
};

/** A form for the next update; the current phase is preselected. */
export function WriteUpdate<P extends string>({ phases, phase, busy, onPublish, children }: WriteUpdateProps<P>) {
  const [next, setNext] = useState(phase);
  const [body, setBody] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await onPublish({ phase: next, body })) setBody('');
  };
  return (
    <Card title="Post an update">
      <form onSubmit={submit}>
        <Stack gap="md">
          <Select
            label="Phase"
            maw={260}
            allowDeselect={false}
            data={phases.map((value) => ({ value, label: sentence(value) }))}
            value={next}
            onChange={(value) => setNext(phases.find((known) => known === value) ?? next)}
          />
          <Textarea required label="Message" value={body} onChange={({ currentTarget: { value } }) => setBody(value)} />
          {children}
          <Group justify="flex-end">
            <Button type="submit" loading={busy}>
              Publish
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
