// The full metadata: the type of a number is known only with it.
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

/** The country of a number in E.164; null for a number without one, such as a satellite phone's. */
export function countryOf(phone: string): string | null {
  return parsePhoneNumber(phone)?.country ?? null;
}

export function typeOf(phone: string): NumberType | null {
  return parsePhoneNumber(phone)?.getType() ?? null;
}

/** The block of ten thousand numbers that contains a number: traffic pumpers rent numbers by the block. */
export function blockOf(phone: string): string {
  return phone.slice(0, -4);
}
