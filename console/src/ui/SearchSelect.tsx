import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';

/** How the field of a record is shown. */
export type SearchSelectProps = {
  label: string;
  description?: ReactNode;
  value: string | null;
  onChange: (id: string | null) => void;
  autofocus?: boolean;
  error?: string | undefined;
};

type Choices = {
  /** What the server finds for a text; all that it returns is shown. */
  useFound: (q: string) => readonly { value: string; label: string }[];
  placeholder: string;
  nothingFound: string;
  /** Whether none may be chosen. */
  optional?: boolean;
};

/** Chooses a record, which the server searches for. */
export function SearchSelect({
  useFound,
  placeholder,
  nothingFound,
  optional = false,
  autofocus = false,
  label,
  ...field
}: SearchSelectProps & Choices) {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 250);
  const found = useFound(q);
  return (
    <Select
      {...field}
      data-autofocus={autofocus || undefined}
      required={!optional}
      clearable={optional}
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      searchable
      label={label}
      placeholder={placeholder}
      nothingFoundMessage={nothingFound}
      data={[...found]}
      filter={({ options }) => options}
      searchValue={typed}
      onSearchChange={setTyped}
    />
  );
}
