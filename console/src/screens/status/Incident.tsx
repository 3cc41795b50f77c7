import { Button, Group, Select, Stack, Text, Textarea, Timeline } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Incident as IncidentRecord } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { Badge, StateBadge, sentence } from '#ui/badge.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';

const PHASES = ['investigating', 'identified', 'monitoring', 'resolved'] as const;

export function Incident() {
  const id = useIdInAddress();
  const incident = useApi().useQuery('get', '/console/v1/status/incidents/{id}', { params: { path: { id } } });
  return <Loaded query={incident}>{(record) => <Detail incident={record} />}</Loaded>;
}

function Detail({ incident }: { incident: IncidentRecord }) {
  const at = useAt();
  const { title, phase, severity, draft, updates } = incident;
  return (
    <Page
      title={title}
      back={{ to: at('/status'), label: 'Status' }}
      beside={
        <>
          {draft ? <Badge>Draft</Badge> : <StateBadge state={phase} />}
          <StateBadge state={severity} />
        </>
      }
      actions={useCan('status:write') && draft && <Publish incident={incident} />}
    >
      {useCan('status:write') && !draft && <NewUpdate incident={incident} />}
      <Card title="Updates">
        <Timeline active={updates.length} bulletSize={12} lineWidth={2}>
          {updates.map((update) => (
            <Timeline.Item key={update.at} title={sentence(update.phase)}>
              <Text size="sm">{update.body}</Text>
              <Text size="xs" c="var(--lk-quiet)">
                <Time at={update.at} />
              </Text>
            </Timeline.Item>
          ))}
        </Timeline>
      </Card>
    </Page>
  );
}

function Publish({ incident: { id, title } }: { incident: IncidentRecord }) {
  const publish = useAction(useApi().useMutation('post', '/console/v1/status/incidents/{id}/publish'));
  const question = {
    title: `Publish “${title}”?`,
    body: 'It shows on the status page and subscribers are told.',
    action: 'Publish',
  };
  return (
    <Button
      loading={publish.busy}
      onClick={() => publish.run({ params: { path: { id } } }, { done: 'The incident is public', question })}
    >
      Publish
    </Button>
  );
}

function NewUpdate({ incident: { id, phase: before } }: { incident: IncidentRecord }) {
  const [phase, setPhase] = useState(before);
  const [body, setBody] = useState('');
  const create = useAction(useApi().useMutation('post', '/console/v1/status/incidents/{id}/updates'));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const question = {
      title: 'Publish this update?',
      body: 'It shows on the status page and subscribers are told.',
      action: 'Publish',
    };
    const made = await create.run({ params: { path: { id } }, body: { phase, body } }, { done: 'Published', question });
    if (made) setBody('');
  };
  return (
    <Card title="Write an update">
      <form onSubmit={submit}>
        <Stack gap="md">
          <Select
            label="Phase"
            maw={260}
            allowDeselect={false}
            data={PHASES.map((value) => ({ value, label: sentence(value) }))}
            value={phase}
            onChange={(value) => setPhase(PHASES.find((known) => known === value) ?? phase)}
          />
          <Textarea
            required
            label="What you know"
            value={body}
            onChange={({ currentTarget: { value } }) => setBody(value)}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={create.busy}>
              Publish
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
