import { type Static, Type } from 'typebox';

const nullableText = Type.Union([Type.String(), Type.Null()]);

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
});
export type UpstreamIdentity = Static<typeof UpstreamIdentity>;
