import type { Settings } from '#api/records.ts';

type Method = Settings['signInMethods'][number];

export const METHODS: { value: Method; label: string; description?: string }[] = [
  { value: 'password', label: 'Password' },
  { value: 'passkey', label: 'Passkey', description: 'Fingerprint, face or security key. Resistant to phishing.' },
  { value: 'magic_link', label: 'Mailed link' },
  { value: 'email_code', label: 'Mailed code' },
  { value: 'phone', label: 'Text message', description: 'Needs the SMS add-on in production.' },
  { value: 'social', label: 'Identity providers', description: 'Google, Apple, GitHub and others that you configure.' },
];

/** The chosen methods, in the order of the list. */
export function methodsIn(chosen: readonly string[]): Method[] {
  return METHODS.map(({ value }) => value).filter((method) => chosen.includes(method));
}
