import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { nameOf } from './members.ts';

type MemberSelectProps = {
  label: string;
  value: string | null;
  onChange: (memberId: string | null) => void;
  autofocus?: boolean;
  error?: string | undefined;
};

/** Chooses a member of the project, who is searched for by name or address. */
export function MemberSelect({ label, value, onChange, autofocus = false, error }: MemberSelectProps) {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 250);
  const found = useApi().useQuery(
    'get',
    '/console/v1/members',
    { params: { query: { limit: 20, ...(q && { q }) } } },
    { placeholderData: (before) => before },
  );
  return (
    <Select
      data-autofocus={autofocus || undefined}
      required
      searchable
      label={label}
      placeholder="Name, email or phone"
      nothingFoundMessage="No members match"
      data={(found.data?.items ?? []).map((member) => ({
        value: member.id,
        label: member.email && member.displayName ? `${member.displayName} · ${member.email}` : nameOf(member),
      }))}
      // The server filters the members, so every option it returns is shown.
      filter={({ options }) => options}
      searchValue={typed}
      onSearchChange={setTyped}
      value={value}
      error={error}
      onChange={onChange}
    />
  );
}
