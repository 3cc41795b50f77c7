import { type Static, Type } from 'typebox';
import { profileFields } from '#platform/profile-fields.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const { middleName, nickname, gender, profile, website } = profileFields;

/** The claims besides the names that fill the profile of a new person. */
export const UpstreamProfile = Type.Partial(Type.Object({ middleName, nickname, gender, profile, website }));
export type UpstreamProfile = Static<typeof UpstreamProfile>;

/** What a provider says about the person who signed in there. */
export const UpstreamIdentity = Type.Object({
  provider: Type.String(),
  issuer: Type.String(),
  subject: Type.String(),
  email: nullableText,
  emailVerified: Type.Boolean(),
  name: nullableText,
  givenName: nullableText,
  familyName: nullableText,
  profile: Type.Optional(UpstreamProfile),
});
export type UpstreamIdentity = Static<typeof UpstreamIdentity>;
