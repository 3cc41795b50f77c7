import { createRequire } from 'node:module';
import type { NumberType } from 'libphonenumber-js/max';

const require = createRequire(import.meta.url);

/** Loaded at first use. With the full metadata: the type of a number is known only with it. */
const phoneLibrary = (): typeof import('libphonenumber-js/max') => require('libphonenumber-js/max');

export const numberTypes = [
  'MOBILE',
  'FIXED_LINE_OR_MOBILE',
  'FIXED_LINE',
  'PERSONAL_NUMBER',
  'VOIP',
  'PAGER',
  'PREMIUM_RATE',
  'SHARED_COST',
  'TOLL_FREE',
  'UAN',
  'VOICEMAIL',
] as const satisfies NumberType[];

/** The country of a number in E.164; null for a number without one, such as a satellite phone's. */
export function countryOf(phone: string): string | null {
  return phoneLibrary().parsePhoneNumberFromString(phone)?.country ?? null;
}

export function typeOf(phone: string): NumberType | null {
  return phoneLibrary().parsePhoneNumberFromString(phone)?.getType() ?? null;
}

/** The block of ten thousand numbers that contains a number: traffic pumpers rent numbers by the block. */
export function blockOf(phone: string): string {
  return phone.slice(0, -4);
}
