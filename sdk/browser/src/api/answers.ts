import type { Session } from '../session.ts';

/** What a sign-in form needs to know: `GET /v1/auth/methods`. */
export type SignInMethods = {
  workspaceId: string;
  projectId: string;
  projectName: string;
  environment: 'test' | 'production';
  /** The address of `/v1/me`. */
  apiUrl: string;
  registration: 'open' | 'closed';
  methods: ('password' | 'magic_link' | 'email_code' | 'phone' | 'passkey' | 'social')[];
  providers: { id: string; name: string; preset: string }[];
  passwordPolicy: { minLength: number; maxLength: number };
  mfa: 'off' | 'optional' | 'required';
  locales: string[];
  defaultLanguage: string;
  proofOfWork: boolean;
  brand: Brand;
};

/** The branding of the project. Colours have enough contrast in their theme. */
export type Brand = {
  logoUrl: string | null;
  /** In place of the logo in a dark theme. */
  darkLogoUrl: string | null;
  radius: number | null;
  light: ThemeColours;
  dark: ThemeColours;
};
export type ThemeColours = { accent: string | null; onAccent: string | null; background: string | null };

/** A message that was sent to an address, if the address can be used here. */
export type Sent = {
  /** What its code does. */
  purpose: 'email_code' | 'magic_link' | 'phone' | 'verify_email' | 'verify_phone' | 'reset';
  flowId: string;
  /** The address, in part where Latchkey hides the rest. */
  to: string;
  /** How long the code is valid, in seconds. */
  expiresIn: number;
  /** How long to wait before sending another message, in seconds. */
  resendAfter: number;
};

export type Factor = { id: string; type: 'passkey' | 'totp' | 'phone' | 'recovery_code'; hint: string | null };

/** What comes next in a sign-in. */
export type Step =
  | { status: 'signed_in' }
  | {
      /** The first factor was set up: its recovery codes are shown once. The session begins with `proceed`. */
      status: 'recovery_codes';
      recoveryCodes: string[];
      proceed: () => Promise<void>;
    }
  | {
      status: 'second_factor';
      mfaToken: string;
      /** Strongest first. */
      factors: Factor[];
      /** Whether a factor has to be set up now: {@link ApiAuth.enrollTotp}. */
      mustEnroll: boolean;
    }
  | { status: 'verification'; sent: Sent }
  | {
      /** The address has an account: its owner signs in another way, then {@link ApiAuth.linkIdentity} links the account at the provider. */
      status: 'link';
      linkToken: string;
      hint: string;
    };

/** A step that the person has to take. */
export type OpenStep = Exclude<Step, { status: 'signed_in' }>;

/** A challenge of a second factor. */
export type FactorChallenge = {
  type: Factor['type'];
  flowId: string | null;
  hint: string | null;
  options: object | null;
};

/** An authenticator app that is being set up. */
export type Enrollment = { id: string; qrSvg: string; secret: string; uri: string };

/** The proof of a person who is signed in: one of these. */
export type Proof =
  | { password: string }
  | { code: string; factorId?: string; flowId?: string }
  | { flowId: string; response: object }
  | { emailCode: { flowId: string; code: string } };

type Body = ReturnType<typeof Object>;

/** Tokens are empty if cookies carry them. */
export function sessionIn(
  body: Body,
): Pick<Session, 'refreshToken' | 'organization'> & { token: string; seconds: number; userId: string } {
  const { access_token: token = '', refresh_token: refreshToken = null, expires_in: seconds, session } = body;
  return { token, refreshToken, seconds, userId: session.userId, organization: session.organizationId ?? null };
}

/** @returns null for a session */
export function stepIn(body: Body): Exclude<OpenStep, { status: 'recovery_codes' }> | null {
  const { status, mfaToken, factors, enrollment = [], flowId, channel, hint, expiresIn, linkToken } = body;
  if (status === 'mfa_required')
    return { status: 'second_factor', mfaToken, factors, mustEnroll: factors.length === 0 && enrollment.length > 0 };
  if (status === 'link_required') return { status: 'link', linkToken, hint };
  if (status !== 'verification_required') return null;
  const purpose = channel === 'phone' ? 'verify_phone' : 'verify_email';
  return { status: 'verification', sent: { purpose, flowId, to: hint, expiresIn, resendAfter: RESEND_SECONDS } };
}

/** How long Latchkey waits before it sends another message. */
const RESEND_SECONDS = 30;
