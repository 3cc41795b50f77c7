import { ColorInput } from '@mantine/core';

type Props = {
  label: string;
  /** What an empty field stands for. */
  fallback: string;
  value: string | null;
  onChange: (value: string | null) => void;
};

/** A colour, or none. A half-typed colour changes nothing. */
export function ColourInput({ label, fallback, value, onChange }: Props) {
  return (
    <ColorInput
      label={label}
      placeholder={fallback}
      format="hex"
      value={value ?? ''}
      onChange={(next) => onChange(/^#[0-9a-f]{6}$/i.test(next) ? next.toLowerCase() : next === '' ? null : value)}
      eyeDropperButtonProps={{ 'aria-label': 'Pick a colour from the screen' }}
    />
  );
}
