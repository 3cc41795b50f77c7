import { PasswordInput, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { Certificates } from './Certificates.tsx';
import { isKind, KIND_CHOICES, KINDS } from './kinds.ts';
import { useStreamPaths, useStreamsAt, useTypeChoices } from './where.ts';

const STARTS = [
  { value: 'now', label: 'Now' },
  { value: 'beginning', label: 'The beginning of the log' },
];

const BLANK = { name: '', url: '', secret: '', header: '', caCertificate: '', clientCertificate: '' };

export function NewLogStream({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<keyof typeof KINDS>('splunk');
  const [values, setValues] = useState(BLANK);
  const [types, setTypes] = useState<string[]>(['*']);
  const [from, setFrom] = useState('now');
  const { faults, onProblem } = useFaults();
  const create = useAction(useApi().useMutation('post', useStreamPaths().list));
  const choices = useTypeChoices();
  const navigate = useNavigate();
  const at = useStreamsAt();
  const { placeholder, secret, header, certificates } = KINDS[kind];
  const text = (name: keyof typeof BLANK) => ({
    value: values[name],
    error: faults[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setValues((now) => ({ ...now, [name]: value })),
  });
  const submit = async () => {
    const { name, url } = values;
    const body = {
      name,
      url,
      kind,
      types,
      from,
      ...(values.secret && { secret: values.secret }),
      ...(header && values.header && { header: values.header }),
      ...(values.caCertificate && { caCertificate: values.caCertificate }),
      ...(certificates && values.clientCertificate && { clientCertificate: values.clientCertificate }),
    };
    const made = await create.run({ body }, { done: 'Log stream added', change: 'Add log stream', onProblem });
    if (made) await navigate({ to: at(`/log-streams/${made.id}`) });
  };
  return (
    <FormDialog title="Add a log stream" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <Select
        label="Kind"
        data={KIND_CHOICES}
        value={kind}
        allowDeselect={false}
        onChange={(value) => isKind(value) && setKind(value)}
      />
      <TextInput data-autofocus required label="Name" placeholder="SIEM" {...text('name')} />
      <TextInput required type="url" label="Address" placeholder={placeholder} {...text('url')} />
      <Certificates kind={kind} text={text} />
      {header && (
        <TextInput
          label="Header"
          description="The name of the header that contains the secret."
          placeholder="Authorization"
          {...text('header')}
        />
      )}
      {certificates ? (
        <Textarea label={secret.label} description={secret.description} autosize maxRows={4} {...text('secret')} />
      ) : (
        <PasswordInput
          required={secret.required}
          label={secret.label}
          description={secret.description}
          autoComplete="off"
          {...text('secret')}
        />
      )}
      <TagsInput
        label="Events"
        description="Types, groups such as user.*, or * for all. Press Enter after each."
        data={choices}
        value={types}
        error={faults['types']}
        onChange={setTypes}
      />
      <Select
        label="Start at"
        data={STARTS}
        value={from}
        allowDeselect={false}
        onChange={(value) => setFrom(value ?? 'now')}
      />
    </FormDialog>
  );
}
