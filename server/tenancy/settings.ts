import { type Static, Type } from 'typebox';
import type { Environment } from '#platform/ctx.ts';

const DAY = 86_400;

const seconds = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description });

/** How a project environment behaves. */
export const Settings = Type.Object({
  registration: Type.Enum(['open', 'closed'], { description: 'Whether people may register by themselves.' }),
  emailVerification: Type.Enum(['off', 'required'], {
    description: '`required`: a new customer proves the address before the first session.',
  }),
  enumerationProtection: Type.Boolean({
    description: 'Registering a known address answers as for a new one; its owner gets a mail.',
  }),
  passwordMinLength: Type.Integer({
    minimum: 8,
    maximum: 128,
    description: 'Raised to 15 where the password is the only factor.',
  }),
  mfa: Type.Enum(['off', 'optional', 'required']),
  assurance: Type.Enum(['standard', 'aal1', 'aal2', 'aal3'], {
    description: 'Caps session lifetimes at what NIST SP 800-63B-4 allows for the level.',
  }),
  accessTokenSeconds: seconds(60, 3_600, 'Lifetime of an access token.'),
  sessionIdleSeconds: seconds(300, 90 * DAY, 'A session ends when it is not refreshed for this long.'),
  sessionAbsoluteSeconds: seconds(300, 365 * DAY, 'A session ends this long after sign-in.'),
});

export type Settings = Static<typeof Settings>;

const common = {
  registration: 'open',
  passwordMinLength: 15,
  mfa: 'off',
  assurance: 'standard',
  accessTokenSeconds: 900,
  sessionIdleSeconds: 14 * DAY,
  sessionAbsoluteSeconds: 90 * DAY,
} as const;

export const defaultSettings: Readonly<Record<Environment, Settings>> = {
  test: { ...common, emailVerification: 'off', enumerationProtection: false },
  production: { ...common, emailVerification: 'required', enumerationProtection: true },
};

/** Longest idle and absolute lifetimes per assurance level, in seconds (NIST SP 800-63B-4 §2; ASVS 7.3.1, 7.3.2). */
const CAPS: Readonly<Record<Settings['assurance'], { idle: number; absolute: number }>> = {
  standard: { idle: Number.POSITIVE_INFINITY, absolute: Number.POSITIVE_INFINITY },
  aal1: { idle: 30 * DAY, absolute: 30 * DAY },
  aal2: { idle: 3_600, absolute: DAY },
  aal3: { idle: 900, absolute: 12 * 3_600 },
};

/** The session lifetimes in force, in seconds. */
export function sessionLifetimes(settings: Settings): { idle: number; absolute: number } {
  const cap = CAPS[settings.assurance];
  return {
    idle: Math.min(settings.sessionIdleSeconds, cap.idle),
    absolute: Math.min(settings.sessionAbsoluteSeconds, cap.absolute),
  };
}
