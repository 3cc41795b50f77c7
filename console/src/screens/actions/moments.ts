import type { Action } from '#api/records.ts';

/** When an action is called, and what it can do then. */
export const MOMENTS: Readonly<Record<Action['moment'], { label: string; about: string }>> = {
  registration: { label: 'Registration', about: 'Decides whether a new person gets an account.' },
  sign_in: { label: 'Sign-in', about: 'Decides whether a person gets in, after they have proven who they are.' },
  token: { label: 'Tokens', about: 'Adds claims to access tokens, ID tokens and userinfo.' },
  message: { label: 'Messages', about: 'Replaces the words of a mail or text message, or refuses to send it.' },
  password: {
    label: 'Passwords of another system',
    about: 'Asks the system that people come from, at the first sign-in of somebody who has no password here.',
  },
};

export const MOMENT_CHOICES = Object.entries(MOMENTS).map(([value, { label }]) => ({ value, label }));

export function isMoment(value: string | null): value is Action['moment'] {
  return value !== null && value in MOMENTS;
}

export const FAILURES: { value: Action['onFailure']; label: string }[] = [
  { value: 'refuse', label: 'Refuse, and ask people to try again' },
  { value: 'continue', label: 'Continue as if it had allowed it' },
];

export function isFailure(value: string | null): value is Action['onFailure'] {
  return FAILURES.some((failure) => failure.value === value);
}
