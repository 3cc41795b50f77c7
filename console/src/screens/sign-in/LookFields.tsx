import { TextInput } from '@mantine/core';
import { ColourInput } from '#ui/ColourInput.tsx';

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
        description="Shown where no logo is uploaded."
        placeholder="https://example.com/logo.svg"
        value={logoUrl ?? ''}
        error={errors.logoUrl}
        onChange={({ currentTarget: { value } }) => onChange({ logoUrl: value || null })}
      />
      <ColourInput
        label="Accent colour"
        fallback={fallback}
        value={accentColor}
        onChange={(value) => onChange({ accentColor: value })}
      />
      <ColourInput
        label="Background colour"
        fallback={fallback}
        value={backgroundColor}
        onChange={(value) => onChange({ backgroundColor: value })}
      />
    </>
  );
}
