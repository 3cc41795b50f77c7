/**
 * What went wrong:
 * - `offline`: Latchkey cannot be reached. The session is kept; try again.
 * - `unavailable`: Latchkey responded that it cannot answer now. The session is kept; try again.
 * - `signed_out`: nobody is signed in, or the session has ended.
 * - `sign_in_failed`: the sign-in came back with an error, or the response is not the one that was asked for.
 * - `step_up_required`: an API asks for a fresh or stronger proof; see `stepUp`.
 * - `organization_refused`: the person or the session may not enter the organization.
 * - `refused`: Latchkey refused another request; see `oauthError` or `errorCode`.
 * - `insecure_context`: the page is not served by https or from localhost.
 */
export type AuthErrorCode =
  | 'offline'
  | 'unavailable'
  | 'signed_out'
  | 'sign_in_failed'
  | 'step_up_required'
  | 'organization_refused'
  | 'refused'
  | 'insecure_context';

/** What an API asks a person to prove. */
export type StepUp = {
  /** The level that is needed, such as `aal2`. */
  acr?: string;
  /** How long ago the proof may be, in seconds. */
  maxAge?: number;
  /** The person proves the account themselves: the identity provider of an organization does not suffice. */
  ownProof?: boolean;
};

type Details = {
  oauthError?: string | undefined;
  errorCode?: string | undefined;
  stepUp?: StepUp;
  retryAfter?: number | undefined;
  cause?: unknown;
};

/** The only error that this package throws, beside a `TypeError` for wrong use. */
export class AuthError extends Error {
  readonly code: AuthErrorCode;
  /** The `error` of the OAuth response, such as `access_denied`. */
  readonly oauthError: string | null;
  /** The `errorCode` of the problem document of the API, such as `INVALID_CREDENTIALS`. */
  readonly errorCode: string | null;
  readonly stepUp: StepUp | null;
  /** Seconds to wait before the next attempt, where Latchkey named them. */
  readonly retryAfter: number | null;

  constructor(
    code: AuthErrorCode,
    message: string,
    { oauthError, errorCode, stepUp, retryAfter, cause }: Details = {},
  ) {
    super(message, { cause });
    this.name = 'AuthError';
    this.code = code;
    this.oauthError = oauthError ?? null;
    this.errorCode = errorCode ?? null;
    this.stepUp = stepUp ?? null;
    this.retryAfter = retryAfter ?? null;
  }

  /** Whether the same call may succeed a little later. */
  get isTemporary(): boolean {
    return this.code === 'offline' || this.code === 'unavailable';
  }
}

/** Keeps an error while the page is left to take up the session. */
export function keepFailure(name: string, { code, message, oauthError }: AuthError): void {
  sessionStorage.setItem(`${name} failure`, JSON.stringify({ code, message, oauthError }));
}

export function takeFailure(name: string): AuthError | null {
  const key = `${name} failure`;
  const kept = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  if (kept === null) return null;
  const { code, message, oauthError } = Object(JSON.parse(kept));
  return new AuthError(code, message, { oauthError: oauthError ?? undefined });
}
