import { Select, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import classes from './filters.module.css';
import { SearchIcon } from './icons.ts';
import { localInput } from './moments.ts';
import { useFilters } from './search.ts';

/** A row of filters above a list; each is stored in the URL. */
export function FilterBar({ children }: { children: ReactNode }) {
  return (
    <search className={classes.bar} aria-label="Filters">
      {children}
    </search>
  );
}

export function TextFilter({ name, label, width = 260 }: { name: string; label: string; width?: number }) {
  const [filters, setFilters] = useFilters();
  const applied = filters[name] ?? '';
  const [typed, setTyped] = useState(applied);
  const [known, setKnown] = useState({ applied, sent: applied });
  // The address changed otherwise than by this field, such as by kept filters or by Back.
  if (applied !== known.applied) {
    if (applied !== known.sent) setTyped(applied);
    setKnown({ applied, sent: applied });
  }
  const apply = useDebouncedCallback((value: string) => {
    setKnown({ applied, sent: value });
    setFilters({ [name]: value }, { replace: true });
  }, 250);
  return (
    <TextInput
      size="xs"
      w={width}
      maw="100%"
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<SearchIcon size={14} aria-hidden />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        apply(event.currentTarget.value);
      }}
    />
  );
}

type Choice = string | { value: string; label: string };

type ChoiceProps = {
  name: string;
  label: string;
  choices: readonly Choice[];
  width?: number;
  /** The default, if the filter always needs a value. */
  otherwise?: string;
};

export function ChoiceFilter({ name, label, choices, width = 160, otherwise }: ChoiceProps) {
  const [filters, setFilters] = useFilters();
  return (
    <Select
      size="xs"
      w={width}
      aria-label={label}
      placeholder={label}
      data={[...choices]}
      searchable={choices.length > 8}
      clearable={otherwise === undefined}
      allowDeselect={otherwise === undefined}
      value={filters[name] ?? otherwise ?? null}
      onChange={(value) => setFilters({ [name]: value ?? undefined })}
      clearButtonProps={{ 'aria-label': `Clear ${label}`, size: '1.5rem' }}
    />
  );
}

/** A time to the minute in the operator's time zone; the URL has it in UTC. */
export function MomentFilter({ name, label }: { name: string; label: string }) {
  const [filters, setFilters] = useFilters();
  return (
    <TextInput
      size="xs"
      w={235}
      leftSection={<Text size="xs">{label}</Text>}
      leftSectionWidth={48}
      type="datetime-local"
      aria-label={label}
      title={label}
      value={localInput(filters[name])}
      onChange={({ currentTarget: { value } }) =>
        setFilters({ [name]: value ? new Date(value).toISOString() : undefined })
      }
    />
  );
}
