import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { DomainRecord } from '#api/records.ts';
import { useAt } from '#shell/place.ts';
import { type Mutation, useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';

type Props<I> = {
  mutation: Mutation<I, DomainRecord>;
  initOf: (host: string) => I;
  onClose: () => void;
};

/** Adds a custom domain of the project or of an organization. */
export function NewDomain<I>({ mutation, initOf, onClose }: Props<I>) {
  const [host, setHost] = useState('');
  const { faults, onProblem } = useFaults('host');
  const create = useAction(mutation);
  const navigate = useNavigate();
  const at = useAt();
  const submit = async () => {
    const made = await create.run(initOf(host.trim()), { done: `${host} added`, change: 'Add domain', onProblem });
    if (made) await navigate({ to: at(`/domains/${made.id}`) });
  };
  return (
    <FormDialog title="Add a domain" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label="Domain"
        placeholder="login.example.com"
        value={host}
        error={faults['host']}
        onChange={({ currentTarget: { value } }) => setHost(value)}
      />
    </FormDialog>
  );
}
