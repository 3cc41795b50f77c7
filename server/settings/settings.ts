import { type Static, Type } from 'typebox';
import type { Environment } from '#platform/ctx.ts';

const DAY = 86_400;

const seconds = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description });

/** The sign-in methods that a project may offer. */
export const SignInMethod = Type.Enum(['password', 'magic_link', 'email_code', 'phone', 'passkey', 'social']);
export type SignInMethod = Static<typeof SignInMethod>;

/** The languages of messages and pages. */
export const languages = ['en', 'de', 'fr', 'es', 'ja', 'zh', 'ar'] as const;
export const Language = Type.Enum([...languages]);
export type Language = Static<typeof Language>;

/** What members of organizations may manage about them only where the project says so. */
const selfServiceAreas = ['connections', 'directory', 'policy'] as const;
export type SelfServiceArea = (typeof selfServiceAreas)[number];

export const StyleSheet = Type.String({ maxLength: 10_000 });

/** The fonts of brandings, by name. */
const fonts = ['humanist', 'geometric', 'rounded', 'serif', 'slab', 'monospace'] as const;
const Font = Type.Enum([...fonts]);
export type Font = Static<typeof Font>;

const colour = Type.Union([Type.String({ pattern: '^#[0-9a-f]{6}$' }), Type.Null()]);
const link = Type.String({ format: 'uri', maxLength: 2_048, pattern: '^https?://' });

/** The branding of the hosted pages. The accent colour stays as it is; what is written on it and links adapt. */
export const Branding = Type.Object(
  {
    logoUrl: Type.Union([link, Type.Null()]),
    accentColor: colour,
    backgroundColor: colour,
    radius: Type.Union([Type.Integer({ minimum: 0, maximum: 24 }), Type.Null()]),
    font: Type.Optional(
      Type.Union([Font, Type.Null()], {
        description:
          'The kind of font of the pages and mails, from those on the device. Null or absent: its usual one.',
      }),
    ),
    text: Type.Union([Type.String({ maxLength: 500 }), Type.Null()], {
      description: 'Shown below the form, unchanged.',
    }),
    links: Type.Record(Type.String({ minLength: 1, maxLength: 40 }), link, {
      maxProperties: 5,
      description: 'Maps the label of each link to its address.',
    }),
    css: Type.Optional(
      Type.Union([StyleSheet, Type.Null()], {
        description:
          'A style sheet for the hosted pages, in the parts and properties that the documentation of branding names. Null or absent: none.',
      }),
    ),
  },
  {
    title: 'Branding',
    additionalProperties: false,
  },
);
export type Branding = Static<typeof Branding>;

const TestPhoneNumber = Type.Object(
  { phone: Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$' }), code: Type.String({ pattern: '^[0-9]{8}$' }) },
  { additionalProperties: false },
);

/** The settings of a project environment. */
export const Settings = Type.Object(
  {
    signInMethods: Type.Array(SignInMethod, {
      maxItems: 6,
      uniqueItems: true,
      description: 'The sign-in methods that the project offers.',
    }),
    registration: Type.Enum(['open', 'closed'], { description: 'Whether people may register by themselves.' }),
    emailVerification: Type.Enum(['off', 'required'], {
      description: '`required`: new users verify their address before their first session starts.',
    }),
    enumerationProtection: Type.Boolean({
      description:
        'True: the response does not reveal whether an address has an account; the owner of an existing account gets a mail instead.',
    }),
    passwordMinLength: Type.Integer({
      minimum: 8,
      maximum: 128,
      description: 'Raised to 15 where the password is the only factor.',
    }),
    mfa: Type.Enum(['off', 'optional', 'required'], {
      description: 'Second factors: never asked for, asked of people who set one up, or required of all.',
    }),
    mfaFactors: Type.Array(Type.Enum(['totp', 'phone', 'passkey']), {
      maxItems: 3,
      uniqueItems: true,
      description: 'Second factors people may set up. A phone is a restricted authenticator (NIST SP 800-63B-4).',
    }),
    rememberDeviceSeconds: seconds(0, 90 * DAY, 'How long a device may skip the second factor; 0 disables it.'),
    passkeyRpId: Type.Union([Type.String({ maxLength: 253, pattern: '^[a-z0-9.-]+$' }), Type.Null()], {
      description: 'WebAuthn relying party id; null: the host name of the auth address.',
    }),
    proofOfWork: Type.Enum(['off', 'required'], {
      description:
        '`required`: clients solve a puzzle before they register, sign in with a password or ask for a message.',
    }),
    magicLinkSeconds: seconds(60, 3_600, 'Lifetime of mailed links; a code in the same mail ends with its link.'),
    // At most ten minutes and five tries: ASVS 6.5.5, 6.6.3.
    oneTimeCodeSeconds: seconds(60, 600, 'Lifetime of codes by mail and text message.'),
    oneTimeCodeTries: Type.Integer({
      minimum: 1,
      maximum: 5,
      description: 'After this many wrong codes, a code or a sign-in that waits for its second factor becomes invalid.',
    }),
    mfaTokenSeconds: seconds(60, 1_800, 'How long a sign-in waits for its second factor.'),
    invitationSeconds: seconds(3_600, 90 * DAY, 'Lifetime of invitations.'),
    locales: Type.Array(Language, {
      minItems: 1,
      maxItems: languages.length,
      uniqueItems: true,
      description: 'The languages that pages and messages are offered in.',
    }),
    defaultLanguage: Type.Enum([...languages], {
      description: 'The language for people who prefer none of `locales`. Must be one of `locales`.',
    }),
    testPhoneNumbers: Type.Array(TestPhoneNumber, {
      maxItems: 20,
      description: 'Numbers that never get a message and have a fixed code. Test environment only.',
    }),
    signInLayout: Type.Enum(['combined', 'identifier_first'], {
      description:
        'Hosted sign-in: `identifier_first` asks for the address and then offers the ways in for it; `combined` asks for address and password on one page.',
    }),
    branding: Branding,
    assurance: Type.Enum(['standard', 'aal1', 'aal2', 'aal3'], {
      description: 'Caps session lifetimes at what NIST SP 800-63B-4 allows for the level.',
    }),
    dynamicRegistration: Type.Enum(['off', 'with_token'], {
      description:
        '`with_token`: programs that hold a registration token may register themselves as applications (RFC 7591).',
    }),
    delegationNotices: Type.Boolean({
      description: 'People get a mail when an application begins to act for them by token exchange (RFC 8693).',
    }),
    impersonationMinutes: Type.Integer({
      minimum: 0,
      maximum: 60,
      description: 'How long a member with `members:impersonate` may act as another member. 0 disables impersonation.',
    }),
    maxOrganizations: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: 'The maximum number of organizations of the project; existing ones stay.',
    }),
    maxOrganizationMembers: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'The maximum number of members of an organization; existing ones stay.',
    }),
    maxOwnOrganizations: Type.Integer({
      minimum: 0,
      maximum: 1_000,
      description: 'Organizations that a member may own in order to add another one; 0: members add none.',
    }),
    organizationSelfService: Type.Array(Type.Enum([...selfServiceAreas]), {
      maxItems: selfServiceAreas.length,
      uniqueItems: true,
      description:
        'What members of an organization manage in it themselves if their roles permit it: its connections, its directory (SCIM), its policy. Each can lock people out.',
    }),
    maxRelations: Type.Integer({
      minimum: 0,
      maximum: 10_000_000,
      description: 'The maximum number of relations to resources; existing ones stay.',
    }),
    webhookLogDays: Type.Integer({ minimum: 1, maximum: 365, description: 'How long webhook deliveries are kept.' }),
    accessTokenSeconds: seconds(60, 3_600, 'Lifetime of an access token.'),
    // RFC 6749 §4.1.2: at most ten minutes.
    authorizationCodeSeconds: seconds(
      10,
      600,
      'Lifetime of an authorization code of OpenID Connect; at most 60 for a client of the profile `fapi2`.',
    ),
    // The list of ended tokens covers an hour.
    managementTokenSeconds: seconds(60, 3_600, 'Lifetime of a management token.'),
    sessionIdleSeconds: seconds(300, 90 * DAY, 'A session ends when it is not refreshed for this long.'),
    sessionAbsoluteSeconds: seconds(300, 365 * DAY, 'A session ends this long after sign-in.'),
  },
  { title: 'Settings' },
);

export type Settings = Static<typeof Settings>;

const common: Omit<Settings, 'signInMethods' | 'emailVerification' | 'enumerationProtection'> = {
  registration: 'open',
  passwordMinLength: 15,
  mfa: 'optional',
  mfaFactors: ['totp', 'phone', 'passkey'],
  rememberDeviceSeconds: 30 * DAY,
  passkeyRpId: null,
  proofOfWork: 'off',
  magicLinkSeconds: 900,
  oneTimeCodeSeconds: 600,
  oneTimeCodeTries: 5,
  mfaTokenSeconds: 600,
  invitationSeconds: 7 * DAY,
  locales: [...languages],
  defaultLanguage: 'en',
  testPhoneNumbers: [],
  signInLayout: 'identifier_first',
  branding: { logoUrl: null, accentColor: null, backgroundColor: null, radius: null, text: null, links: {} },
  assurance: 'standard',
  dynamicRegistration: 'off',
  delegationNotices: true,
  impersonationMinutes: 30,
  maxOrganizations: 10_000,
  maxOrganizationMembers: 1_000,
  maxOwnOrganizations: 0,
  organizationSelfService: [],
  maxRelations: 1_000_000,
  webhookLogDays: 30,
  accessTokenSeconds: 900,
  authorizationCodeSeconds: 60,
  managementTokenSeconds: 3_600,
  sessionIdleSeconds: 14 * DAY,
  sessionAbsoluteSeconds: 90 * DAY,
};

const defaultSettings: Readonly<Record<Environment, Settings>> = {
  test: {
    ...common,
    signInMethods: ['password', 'magic_link', 'email_code', 'phone', 'passkey', 'social'],
    emailVerification: 'off',
    enumerationProtection: false,
  },
  production: {
    ...common,
    // Text messages cost money, so they are enabled explicitly.
    signInMethods: ['password', 'magic_link', 'email_code', 'passkey', 'social'],
    emailVerification: 'required',
    enumerationProtection: true,
  },
};

/** Maximum idle and absolute lifetimes per assurance level, in seconds (NIST SP 800-63B-4 §2; ASVS 7.3.1, 7.3.2). */
const CAPS: Readonly<Record<Settings['assurance'], { idle: number; absolute: number }>> = {
  standard: { idle: Number.POSITIVE_INFINITY, absolute: Number.POSITIVE_INFINITY },
  aal1: { idle: 30 * DAY, absolute: 30 * DAY },
  aal2: { idle: 3_600, absolute: DAY },
  aal3: { idle: 900, absolute: 12 * 3_600 },
};

/**
 * Tabs of one browser refresh at the same moment, and responses get lost: within this time, a used refresh token returns
 * the same successor.
 */
export const REFRESH_GRACE_MS = 10_000;

/** The effective session lifetimes, in seconds. */
export function sessionLifetimes(settings: Settings): { idle: number; absolute: number } {
  const cap = CAPS[settings.assurance];
  return {
    idle: Math.min(settings.sessionIdleSeconds, cap.idle),
    absolute: Math.min(settings.sessionAbsoluteSeconds, cap.absolute),
  };
}

/** The environment's defaults, overridden by the project's changes. */
export function effectiveSettings(environment: Environment, changes: Partial<Settings>): Settings {
  return { ...defaultSettings[environment], ...changes };
}
