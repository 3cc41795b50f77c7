import { type Static, Type } from 'typebox';
import { Email, Phone, Username } from './identifiers.ts';
import { problem } from './problem.ts';
import { nullable } from './schemas.ts';

const name = Type.String({ minLength: 1, maxLength: 200 });
/** One line of text. */
const line = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]*$' });
const page = Type.String({ format: 'uri', maxLength: 2_048, pattern: '^https?://[^/?#]' });

/** The profile fields that a user may change; names and meanings of OpenID Connect Core §5.1. */
export const profileFields = {
  displayName: nullable(name),
  givenName: nullable(name),
  middleName: nullable(line),
  familyName: nullable(name),
  nickname: nullable(line),
  gender: nullable(line),
  username: nullable(Username),
  picture: nullable(Type.String({ format: 'uri', maxLength: 2_048, pattern: '^https?://' })),
  profile: nullable({ ...page, description: 'The address of a page about the person.' }),
  website: nullable({ ...page, description: 'The address of a page of the person or their organization.' }),
  locale: nullable(
    Type.String({ maxLength: 35, pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$', description: 'BCP 47 tag' }),
  ),
  zoneinfo: nullable(
    Type.String({ maxLength: 64, pattern: '^[A-Za-z]+(/[A-Za-z0-9_+-]+)*$', description: 'IANA time zone' }),
  ),
  birthdate: nullable(Type.String({ format: 'date' })),
  customData: Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
    maxProperties: 100,
    description: 'Free JSON of the product, up to 16 KiB.',
  }),
};

/** The addresses an administrator gives a member. */
export const addressFields = {
  email: Type.Optional(Email),
  emailVerified: Type.Optional(
    Type.Boolean({ description: 'True if the address is known to be theirs; false when absent.' }),
  ),
  phone: Type.Optional(Phone),
  phoneVerified: Type.Optional(Type.Boolean()),
};

/** JSON that the project defines for a member. */
export const Metadata = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
  maxProperties: 100,
  description: 'Free JSON of the project, up to 16 KiB; the person does not see it.',
});

export const ProfileChanges = Type.Partial(Type.Object(profileFields), {
  additionalProperties: false,
  minProperties: 1,
});
export type ProfileChanges = Static<typeof ProfileChanges>;

const CUSTOM_DATA_LIMIT = 16_384;

/** @throws Problem PAYLOAD_TOO_LARGE for free-form JSON beyond its limit */
export function requireSmall(name: string, data: Record<string, unknown> | undefined): void {
  if (data && JSON.stringify(data).length > CUSTOM_DATA_LIMIT)
    throw problem('PAYLOAD_TOO_LARGE', `${name} may take up to ${CUSTOM_DATA_LIMIT} characters as JSON.`);
}
