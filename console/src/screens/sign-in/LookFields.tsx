import { ColorInput, TextInput } from '@mantine/core';

/** What projects and organizations may both set. */
type Look = { logoUrl: string | null; accentColor: string | null; backgroundColor: string | null };

type Props = {
  look: Look;
  errors: Partial<Record<keyof Look, string>>;
  /** What an empty field stands for. */
  fallback: string;
  onChange: (changes: Partial<Look>) => void;
};

/** Logo and colours of a branding. */
export function LookFields({ look: { logoUrl, accentColor, backgroundColor }, errors, fallback, onChange }: Props) {
  return (
    <>
      <TextInput
        type="url"
        label="Logo address"
        placeholder="https://example.com/logo.svg"
        value={logoUrl ?? ''}
        error={errors.logoUrl}
        onChange={({ currentTarget: { value } }) => onChange({ logoUrl: value || null })}
      />
      <Colour
        label="Accent colour"
        fallback={fallback}
        value={accentColor}
        onChange={(value) => onChange({ accentColor: value })}
      />
      <Colour
        label="Background colour"
        fallback={fallback}
        value={backgroundColor}
        onChange={(value) => onChange({ backgroundColor: value })}
      />
    </>
  );
}

type ColourProps = {
  label: string;
  fallback: string;
  value: string | null;
  onChange: (value: string | null) => void;
};

function Colour({ label, fallback, value, onChange }: ColourProps) {
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
