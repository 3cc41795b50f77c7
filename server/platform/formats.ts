import { Format } from 'typebox/format';
import { parseEmail } from './email-address.ts';
import { readInstant } from './instants.ts';

/**
 * The `format` keywords of schemas, the same in both validators. A value that passes can be stored, sent to and
 * computed with; the formats of the libraries also accept leap seconds, year 0 and addresses that contain header
 * syntax.
 */
const formats = {
  email: (text: string) => parseEmail(text) !== null,
  'date-time': (text: string) => readInstant(text) !== null,
} as const;

for (const [name, check] of Object.entries(formats)) Format.Set(name, check);

/** Adds these formats to a request validator. */
export function addOwnFormats<
  Validator extends { addFormat: (name: string, check: (text: string) => boolean) => unknown },
>(validator: Validator): Validator {
  for (const [name, check] of Object.entries(formats)) validator.addFormat(name, check);
  return validator;
}
