import { Group, Input, NumberInput, Select } from '@mantine/core';
import { useId, useState } from 'react';

const UNITS = [
  { value: '86400', label: 'days' },
  { value: '3600', label: 'hours' },
  { value: '60', label: 'minutes' },
  { value: '1', label: 'seconds' },
];

type DurationProps = {
  label: string;
  description?: string;
  error?: string;
  /** Seconds. */
  value: number;
  onChange: (seconds: number) => void;
};

/** A duration in its most natural unit. */
export function DurationInput({ label, description, error, value, onChange }: DurationProps) {
  const id = useId();
  const largest = UNITS.find((unit) => value >= Number(unit.value) && value % Number(unit.value) === 0) ?? UNITS[0];
  const [unit, setUnit] = useState(largest?.value ?? '1');
  const size = Number(unit);
  return (
    <Input.Wrapper id={id} label={label} description={description} error={error} maw={380}>
      <Group gap="xs" mt={4} wrap="nowrap">
        <NumberInput
          id={id}
          min={0}
          value={value / size}
          decimalScale={2}
          onChange={(count) => onChange(Math.round(Number(count) * size))}
          flex={1}
        />
        <Select
          aria-label={`${label}: unit`}
          w={120}
          allowDeselect={false}
          data={UNITS}
          value={unit}
          onChange={(next) => setUnit(next ?? unit)}
        />
      </Group>
    </Input.Wrapper>
  );
}
