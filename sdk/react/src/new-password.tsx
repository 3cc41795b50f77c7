import type { SignInMethods } from '@latchkey/browser/api';
import type { ReactNode } from 'react';
import { Field } from './fields.tsx';
import { useSay } from './texts/form-texts.ts';

/** The field `newPassword`, with what the project asks of passwords. */
export function NewPassword({
  label,
  methods,
}: {
  label: 'password' | 'newPassword';
  methods: SignInMethods | null;
}): ReactNode {
  const { say } = useSay();
  const length = methods?.passwordPolicy.minLength ?? 0;
  return (
    <Field
      label={say(label)}
      name="newPassword"
      type="password"
      autoComplete="new-password"
      required
      minLength={length}
      hint={say('passwordHint', { length })}
    />
  );
}
