import type { SignInMethod } from '#settings';

/** What each value of `amr` (RFC 8176) proves as a first factor. As a second factor, `otp` and `sms` are other things. */
const FIRST: Readonly<Record<string, SignInMethod>> = {
  pwd: 'password',
  otp: 'email_code',
  sms: 'phone',
  fed: 'social',
  hwk: 'passkey',
  swk: 'passkey',
};

/** The sign-in methods that a proof shows. */
export function provenMethods(amr: readonly string[], { secondFactor }: { secondFactor: boolean }): SignInMethod[] {
  const proven = amr.flatMap((value) => FIRST[value] ?? []);
  return [...new Set(secondFactor ? proven.filter((method) => method === 'passkey') : proven)];
}
