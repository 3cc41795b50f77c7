import { Format } from 'typebox/format';
import { parseEmail } from './email-address.ts';
import { readInstant } from './instants.ts';

/**
 * What `format` in a schema means, to both validators alike: what passes can be stored, sent to, and computed with. The ones
 * that libraries bring take leap seconds, year 0 and addresses with header syntax in them.
 */
const formats = {
  email: (text: string) => parseEmail(text) !== null,
  'date-time': (text: string) => readInstant(text) !== null,
} as const;

for (const [name, check] of Object.entries(formats)) Format.Set(name, check);

/** Teaches a validator of requests the same formats. */
export function addOwnFormats<
  Validator extends { addFormat: (name: string, check: (text: string) => boolean) => unknown },
>(validator: Validator): Validator {
  for (const [name, check] of Object.entries(formats)) validator.addFormat(name, check);
  return validator;
}
