import { Textarea } from '@mantine/core';
import { validationProblem } from '#api/problem.ts';

type Props = {
  label: string;
  description: string;
  value: string;
  error: string | undefined;
  onChange: (text: string) => void;
};

/** Edits a JSON object as text. Leaving the field arranges it; a fault is shown at once. */
export function JsonField({ label, description, value, error, onChange }: Props) {
  return (
    <Textarea
      label={label}
      description={description}
      autosize
      minRows={3}
      maxRows={20}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' } }}
      value={value}
      error={error ?? faultIn(value)}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onBlur={() => faultIn(value) === undefined && onChange(arranged(parsed(value) ?? {}))}
    />
  );
}

export const arranged = (value: Record<string, unknown>): string => JSON.stringify(value, null, 2);

/** The fault of a text that is no JSON object, with the place that the browser names. */
export function faultIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? undefined : 'Enter a JSON object: { "key": "value" }.';
  } catch (error) {
    return error instanceof SyntaxError ? error.message : 'Not valid JSON.';
  }
}

/** @throws a problem of the field for text that is no JSON object */
export function objectIn(field: string, text: string): Record<string, unknown> {
  const value = parsed(text);
  if (value) return value;
  throw validationProblem(field, faultIn(text) ?? 'Enter a JSON object.');
}

function parsed(text: string): Record<string, unknown> | null {
  if (faultIn(text) !== undefined) return null;
  const value: unknown = JSON.parse(text);
  return isObject(value) ? { ...value } : null;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
