import { sentence } from './badge.tsx';

const METHODS: Readonly<Record<string, string>> = {
  pwd: 'Password',
  otp: 'Code',
  sms: 'Text message',
  fed: 'Identity provider',
  hwk: 'Passkey of a device',
  swk: 'Synced passkey',
};

/** The methods of a sign-in (`amr`, RFC 8176), joined by a plus, in plain words. A passkey says by itself that its user was present, with two factors. */
export function wayOf(key: string): string {
  const methods = key.split('+');
  const names = methods.filter((method) => method !== 'user' && method !== 'mfa');
  const name = names.map((method) => METHODS[method] ?? sentence(method)).join(' + ');
  const isPasskey = methods.includes('hwk') || methods.includes('swk');
  return methods.includes('mfa') && !isPasskey ? `${name}, two factors` : name;
}
