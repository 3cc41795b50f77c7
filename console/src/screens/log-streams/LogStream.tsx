import { Button, PasswordInput, TagsInput, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import type { LogStream as Stream } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { SettingsCard, useRecordForm } from '#ui/form.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { Certificates } from './Certificates.tsx';
import { KINDS } from './kinds.ts';
import { StreamState } from './LogStreams.tsx';
import { StreamActions } from './StreamActions.tsx';
import { LOOK_AGAIN_MS, StreamFaults } from './StreamFaults.tsx';
import { useCanWriteStreams, useStreamPaths, useStreamsAt, useTypeChoices } from './where.ts';

export function LogStream() {
  const logStreamId = useIdInAddress();
  const stream = useApi().useQuery(
    'get',
    useStreamPaths().one,
    { params: { path: { logStreamId } } },
    { refetchInterval: LOOK_AGAIN_MS },
  );
  return <Loaded query={stream}>{(record) => <Detail stream={record} reread={stream.refetch} />}</Loaded>;
}

type DetailProps = { stream: Stream; reread: () => Promise<{ data?: Stream }> };

function Detail({ stream, reread }: DetailProps) {
  const at = useStreamsAt();
  const canWrite = useCanWriteStreams();
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
  const paths = useStreamPaths();
  const change = useApi().useMutation('patch', paths.one);
  const [replacing, setReplacing] = useState(false);
  const choices = useTypeChoices();
  const { name, url, types } = stream;
  // Without the delivery, which changes all the time.
  const record = useMemo(() => ({ name, url, types }), [name, url, types]);
  const form = useRecordForm({
    record,
    path: `${paths.list}/${stream.id}`,
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
          description="To change the host or port, use “Change the destination”."
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
            ...certificateFacts(stream),
            ['Secret', stream.hasSecret ? 'Stored' : 'None'],
            ...(stream.header === null ? [] : [['Header', stream.header] as const]),
          ]}
        />
        {canWrite && (
          <Button variant="default" w="fit-content" onClick={() => setReplacing(true)}>
            Change the destination
          </Button>
        )}
      </SettingsCard>
      {replacing && <NewDestination stream={stream} onClose={() => setReplacing(false)} />}
    </>
  );
}

/** Whom the stream trusts, and what it shows itself; with the end of each, because a stream stops there. */
function certificateFacts({ certificates }: Stream): [string, ReactNode][] {
  const facts = certificates.map(({ use, subject, expiresAt }, index): [string, ReactNode] => [
    `${use === 'client' ? 'Client certificate' : 'CA certificate'}${certificates.length > 2 ? ` ${index + 1}` : ''}`,
    <span key={subject}>
      {subject}, expires <Time at={expiresAt} />
    </span>,
  ]);
  const hasOwn = certificates.some(({ use }) => use === 'authority');
  return hasOwn ? facts : [['CA certificates', 'Public authorities'], ...facts];
}

/** Changes the address, the certificates and the secret together: another origin or authority requires the secret again. */
function NewDestination({ stream, onClose }: { stream: Stream; onClose: () => void }) {
  const [values, setValues] = useState({
    url: stream.url,
    caCertificate: stream.caCertificate ?? '',
    clientCertificate: stream.clientCertificate ?? '',
    secret: '',
  });
  const { faults, onProblem } = useFaults();
  const change = useAction(useApi().useMutation('patch', useStreamPaths().one));
  const { secret, certificates } = KINDS[stream.kind];
  const text = (name: keyof typeof values) => ({
    value: values[name],
    error: faults[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setValues((now) => ({ ...now, [name]: value })),
  });
  const submit = async () => {
    const body = {
      url: values.url,
      secret: values.secret || null,
      caCertificate: values.caCertificate || null,
      ...(certificates && { clientCertificate: values.clientCertificate || null }),
    };
    const saved = await change.run(
      { params: { path: { logStreamId: stream.id } }, body },
      { done: 'Log stream saved', change: 'Change the destination', onProblem },
    );
    if (saved) onClose();
  };
  const field = {
    label: secret.label,
    required: secret.required,
    description: secret.required
      ? 'Enter it again.'
      : `${secret.description} Enter it again, or leave it empty to remove it.`,
    ...text('secret'),
  };
  return (
    <FormDialog title="Change the destination" action="Save" busy={change.busy} onSubmit={submit} onClose={onClose}>
      <TextInput data-autofocus required type="url" label="Address" {...text('url')} />
      <Certificates kind={stream.kind} text={text} />
      {certificates ? <Textarea autosize maxRows={4} {...field} /> : <PasswordInput autoComplete="off" {...field} />}
    </FormDialog>
  );
}
