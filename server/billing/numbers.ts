// The full metadata: only with it is the type of a number known.
import parsePhoneNumber, { type NumberType } from 'libphonenumber-js/max';

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

/** The country of a number in E.164; null for one of no country, such as a satellite phone's. */
export function countryOf(phone: string): string | null {
  return parsePhoneNumber(phone)?.country ?? null;
}

export function typeOf(phone: string): NumberType | null {
  return parsePhoneNumber(phone)?.getType() ?? null;
}

/** The block of ten thousand numbers that a number is in: pumpers rent numbers by the block. */
export function blockOf(phone: string): string {
  return phone.slice(0, -4);
}
