import { Group, MultiSelect, Select, Stack, Text } from '@mantine/core';
import { sentence } from '#ui/badge.tsx';
import { useStatusComponents } from './lists.ts';

const STATUSES = ['degraded_performance', 'partial_outage', 'major_outage'] as const;
/** The component statuses of an incident; a component without one shows its measured status. */
export type Said = { [componentId: string]: 'operational' | (typeof STATUSES)[number] };

const BY_SEVERITY = 'By the severity';

/** The components as options. */
export function useComponentChoices(): { value: string; label: string }[] {
  return useStatusComponents().data?.map(({ id, name }) => ({ value: id, label: name })) ?? [];
}

type ComponentsSaidProps = {
  ids: readonly string[];
  said: Said;
  onChange: (ids: string[], said: Said) => void;
};

/** Selects the components of an incident and the status of each. */
export function ComponentsSaid({ ids, said, onChange }: ComponentsSaidProps) {
  const choices = useComponentChoices();
  const choose = (chosen: string[]) =>
    onChange(chosen, Object.fromEntries(Object.entries(said).filter(([id]) => chosen.includes(id))));
  const say = (id: string, value: string | null) => {
    const { [id]: _, ...others } = said;
    const status = STATUSES.find((known) => known === value);
    onChange([...ids], status ? { ...others, [id]: status } : others);
  };
  return (
    <Stack gap="xs" maw={480}>
      <MultiSelect
        searchable
        label="Components"
        description="The page shows the worse of this and the measured status."
        data={choices}
        value={[...ids]}
        onChange={choose}
      />
      {ids.map((id) => {
        const name = choices.find(({ value }) => value === id)?.label ?? id;
        return (
          <Group key={id} gap="sm" justify="space-between" wrap="nowrap">
            <Text size="sm">{name}</Text>
            <Select
              size="xs"
              w={190}
              flex="none"
              aria-label={`Status of ${name}`}
              allowDeselect={false}
              data={[BY_SEVERITY, ...STATUSES.map((value) => ({ value, label: sentence(value) }))]}
              value={said[id] ?? BY_SEVERITY}
              onChange={(value) => say(id, value)}
            />
          </Group>
        );
      })}
    </Stack>
  );
}
