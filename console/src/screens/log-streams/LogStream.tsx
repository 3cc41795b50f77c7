import { Button, PasswordInput, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { LogStream as Stream } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useEventTypes } from '#screens/webhooks/eventTypes.ts';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { SettingsCard, useRecordForm } from '#ui/form.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { KINDS } from './kinds.ts';
import { StreamState } from './LogStreams.tsx';
import { StreamActions } from './StreamActions.tsx';
import { LOOK_AGAIN_MS, StreamFaults } from './StreamFaults.tsx';

export function LogStream() {
  const logStreamId = useIdInAddress();
  const stream = useApi().useQuery(
    'get',
    '/console/v1/log-streams/{logStreamId}',
    { params: { path: { logStreamId } } },
    { refetchInterval: LOOK_AGAIN_MS },
  );
  return <Loaded query={stream}>{(record) => <Detail stream={record} reread={stream.refetch} />}</Loaded>;
}

type DetailProps = { stream: Stream; reread: () => Promise<{ data?: Stream }> };

function Detail({ stream, reread }: DetailProps) {
  const at = useAt();
  const canWrite = useCan('log-streams:write');
  return (
    <Page
      title={stream.name}
      back={{ to: at('/log-streams'), label: 'Log streams' }}
      beside={<StreamState stream={stream} />}
      actions={canWrite && <StreamActions stream={stream} />}
    >
      <Lag stream={stream} />
      <Edit stream={stream} reread={reread} canWrite={canWrite} />
      <StreamFaults logStreamId={stream.id} />
    </Page>
  );
}

function Lag({ stream: { state, delivery } }: { stream: Stream }) {
  const { waiting, lagSeconds, sent, refused, sentAt, failingSince, nextAttemptAt } = delivery;
  return (
    <Card title="Delivery">
      <Facts
        facts={[
          [
            'Waiting',
            waiting === 0 ? 'Nothing' : `${waiting.toLocaleString('en')} entries, the oldest for ${lagSeconds} s`,
          ],
          ['Sent', sent.toLocaleString('en')],
          ['Skipped', refused.toLocaleString('en')],
          ['Last sent', <Time key="sent" at={sentAt} none="Never" />],
          ['Failing since', <Time key="failing" at={failingSince} none="Not failing" />],
          ...(nextAttemptAt && state === 'active'
            ? [['Next attempt', <Time key="next" at={nextAttemptAt} />] as const]
            : []),
        ]}
      />
    </Card>
  );
}

function Edit({ stream, reread, canWrite }: DetailProps & { canWrite: boolean }) {
  const change = useApi().useMutation('patch', '/console/v1/log-streams/{logStreamId}');
  const [replacing, setReplacing] = useState(false);
  const { choices } = useEventTypes();
  const { name, url, types } = stream;
  // Without the delivery, which changes all the time.
  const record = useMemo(() => ({ name, url, types }), [name, url, types]);
  const form = useRecordForm({
    record,
    path: `/console/v1/log-streams/${stream.id}`,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes, headers }) =>
        change.mutateAsync({ params: { path: { logStreamId: stream.id } }, body: changes, headers }),
    },
    reread,
    done: 'Log stream saved',
    undone: 'Change undone',
  });
  const { values, errors, set } = form;
  return (
    <>
      <SettingsCard title="Settings" form={form} canWrite={canWrite}>
        <TextInput label="Name" {...form.text('name')} />
        <TextInput
          type="url"
          label="Address"
          description="To change the host or port, use “Move or replace secret”."
          {...form.text('url')}
        />
        <TagsInput
          label="Events"
          data={choices}
          value={values.types}
          error={errors.types}
          onChange={(chosen) => set({ types: chosen })}
        />
        <Facts
          facts={[
            ['Kind', KINDS[stream.kind].label],
            ['Secret', stream.hasSecret ? 'Stored' : 'None'],
            ...(stream.header === null ? [] : [['Header', stream.header] as const]),
          ]}
        />
        {canWrite && (
          <Button variant="default" w="fit-content" onClick={() => setReplacing(true)}>
            Move or replace secret
          </Button>
        )}
      </SettingsCard>
      {replacing && <NewSecret stream={stream} onClose={() => setReplacing(false)} />}
    </>
  );
}

/** Changes the address and the secret together: another origin requires the secret again. */
function NewSecret({ stream, onClose }: { stream: Stream; onClose: () => void }) {
  const [url, setUrl] = useState(stream.url);
  const [secret, setSecret] = useState('');
  const { faults, onProblem } = useFaults();
  const change = useAction(useApi().useMutation('patch', '/console/v1/log-streams/{logStreamId}'));
  const { label, required, description } = KINDS[stream.kind].secret;
  const submit = async () => {
    const saved = await change.run(
      { params: { path: { logStreamId: stream.id } }, body: { url, secret: secret || null } },
      { done: 'Log stream saved', change: 'Replace the secret', onProblem },
    );
    if (saved) onClose();
  };
  const field = {
    label,
    required,
    description: required ? undefined : `${description} Leave empty to remove it.`,
    value: secret,
    error: faults['secret'],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => setSecret(value),
  };
  return (
    <FormDialog title="Move or replace secret" action="Save" busy={change.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        required
        type="url"
        label="Address"
        value={url}
        error={faults['url']}
        onChange={({ currentTarget: { value } }) => setUrl(value)}
      />
      {stream.kind === 'syslog' ? (
        <Textarea autosize maxRows={4} {...field} />
      ) : (
        <PasswordInput autoComplete="off" data-autofocus {...field} />
      )}
    </FormDialog>
  );
}
