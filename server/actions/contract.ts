import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { profileFields } from '#platform/profile-fields.ts';
import { nullable } from '#platform/schemas.ts';

/** When an action is called. */
export const MOMENTS = {
  registration: 'before an account of a person is created who registers, or who signs in for the first time',
  sign_in: 'before a sign-in completes, after every proof',
  token: 'before a token is signed, to add claims',
  message: 'before a mail or text message is sent',
  password: 'when a password is wrong here, to ask the system that people come from',
} as const;
export type Moment = keyof typeof MOMENTS;

/** The person of a call; `id` is null while the account does not exist. */
export type Person = {
  id: string | null;
  email: string | null;
  emailVerified: boolean;
  phone: string | null;
  phoneVerified: boolean;
  username: string | null;
  displayName: string | null;
  locale: string | null;
};

type Application = { id: string; clientId: string; name: string };

/** What each moment adds to the body of a call. `entrance`: the way in, as the security model names it. */
export type Told = {
  registration: { person: Person; entrance: string };
  sign_in: {
    person: Person;
    entrance: string;
    organizationId: string | null;
    proof: { amr: readonly string[]; acr: string; signInMethods: readonly string[] };
  };
  token: { person: Person | null; application: Application | null; organizationId: string | null };
  /** Never kept: neither in the log nor in an error. */
  password: { identifier: { kind: 'email' | 'phone' | 'username'; value: string }; password: string };
  message: { message: { channel: 'email' | 'sms'; template: string; to: string; subject: string; text: string } };
};

const { displayName, givenName, familyName, locale } = profileFields;
const movedFields = { displayName, givenName, familyName, locale };
const closed = { additionalProperties: false };
const Refusal = Type.Object(
  { decision: Type.Literal('refuse'), message: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })) },
  closed,
);
const Allowance = Type.Object({ decision: Type.Literal('allow') }, closed);

/**
 * The name of a claim is an https address, which no reserved claim is, and no claim of Latchkey (RFC 7519 §4.2,
 * "collision-resistant name").
 */
const ClaimName = Type.String({ pattern: '^https://[^\\s/]+(/[^\\s]*)?$', maxLength: 200 });
const Claims = Type.Record(ClaimName, Type.Unknown(), { additionalProperties: false, maxProperties: 20 });
export type Claims = Static<typeof Claims>;

/** What an action may response at each moment. */
const RESPONSES = {
  registration: Type.Union([Allowance, Refusal]),
  sign_in: Type.Union([Allowance, Refusal]),
  token: Type.Object({ decision: Type.Literal('allow'), claims: Type.Optional(Claims) }, closed),
  message: Type.Union([
    Type.Object(
      {
        decision: Type.Literal('allow'),
        subject: Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\r\\n]+$' })),
        text: Type.Optional(Type.String({ minLength: 1, maxLength: 10_000 })),
      },
      closed,
    ),
    Refusal,
  ]),
  password: Type.Union([
    Type.Object(
      {
        decision: Type.Literal('allow'),
        emailVerified: Type.Optional(Type.Boolean()),
        profile: Type.Optional(Type.Partial(Type.Object(movedFields), closed)),
      },
      closed,
    ),
    Refusal,
  ]),
};
export type Responses = { [M in Moment]: Static<(typeof RESPONSES)[M]> };

const registration = Compile(RESPONSES.registration);
const signIn = Compile(RESPONSES.sign_in);
const token = Compile(RESPONSES.token);
const message = Compile(RESPONSES.message);
const password = Compile(RESPONSES.password);
const checks: { [M in Moment]: (value: unknown) => value is Responses[M] } = {
  registration: (value) => registration.Check(value),
  sign_in: (value) => signIn.Check(value),
  token: (value) => token.Check(value),
  message: (value) => message.Check(value),
  password: (value) => password.Check(value),
};

/** Claims travel with every request, in a header. */
export const MAX_CLAIM_BYTES = 2_048;

/** @returns undefined for a value that is no response of this moment */
export function responseOf<M extends Moment>(moment: M, value: unknown): Responses[M] | undefined {
  if (!checks[moment](value)) return undefined;
  const claims = 'claims' in value ? JSON.stringify(value.claims) : '';
  return Buffer.byteLength(claims) > MAX_CLAIM_BYTES ? undefined : value;
}

export const OnFailure = Type.Enum(['continue', 'refuse'], {
  description:
    'What happens when the call fails, or takes too long: `continue` goes on as if the action had allowed it, `refuse` returns 503, and sends a message later.',
});
export type OnFailure = Static<typeof OnFailure>;

export const Decision = Type.Enum(['allow', 'refuse', 'failed']);
export type Decision = Static<typeof Decision>;
export const StatusCode = nullable(Type.Integer());
