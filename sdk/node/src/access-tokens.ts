import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { type DpopOptions, type PresentedProof, type ProofCheck, proofCheck } from './dpop.ts';

/** What a back end needs from a valid access token. */
export type AccessToken = {
  /** A machine acts for itself: an application with `client_credentials`. */
  kind: 'person' | 'machine';
  /** The person's id, or the client id of a machine. */
  subject: string;
  clientId?: string;
  sessionId?: string;
  /** The organization that the person acts in. */
  organizationId?: string;
  /** What the application may do. */
  scopes: readonly string[];
  /** What the person may do. Session tokens have none: read `GET /v1/me/context`. */
  permissions: readonly string[];
  roles: readonly string[];
  expiresAt: Date;
  claims: JWTPayload;
};

/** Thrown when a token is not valid for this back end. The message says why and has no part of the token. */
export class InvalidTokenError extends Error {
  override readonly name = 'InvalidTokenError';
  /** The error of the challenge (RFC 6750 §3.1, RFC 9449 §7.1). */
  readonly code: 'invalid_token' | 'invalid_dpop_proof';

  constructor(
    message: string,
    { code = 'invalid_token', ...options }: ErrorOptions & { code?: InvalidTokenError['code'] } = {},
  ) {
    super(message, options);
    this.code = code;
  }
}

export type VerifierOptions = {
  /** The auth address that issues the tokens, such as `https://auth.example.com`. */
  issuer: string;
  /** The identifier of your API, or the address of Latchkey's API for session tokens. */
  audience: string;
  /** The project. Projects of an installation may share issuer and audience, so both do not say whose token it is. */
  projectId: string;
  /** Asks whether a token that verifies is still live. Without it an ended session's token holds until it expires. */
  isLive?: (token: string) => Promise<boolean>;
  /** Tolerated difference of the clocks in seconds; 5 by default. */
  clockToleranceSeconds?: number;
  /** Takes tokens that are bound to a key, with a proof of it (RFC 9449). Without it they are refused. */
  dpop?: DpopOptions;
};

/** @param presented the request, if it presents the token as DPoP instead of Bearer */
export type Verifier = (token: string, presented?: PresentedProof) => Promise<AccessToken>;

/**
 * Verifies access tokens (RFC 9068) of sessions and of OpenID Connect. The keys are cached; an unknown key is looked up.
 * @returns a function that throws `InvalidTokenError` for a token that is not valid, and other errors if it could not be checked
 */
export function tokenVerifier(options: VerifierOptions): Verifier {
  const { issuer, audience, projectId, isLive, clockToleranceSeconds = 5, dpop } = options;
  const check = dpop && proofCheck(dpop);
  const keys = createRemoteJWKSet(new URL(`${issuer}/connect/jwks`));
  return async (token, presented) => {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      typ: 'at+jwt',
      algorithms: ['ES256'],
      requiredClaims: ['exp'],
      clockTolerance: clockToleranceSeconds,
    }).catch(explain);
    // OpenID Connect's claims are in snake case, those of a session token in camel case.
    if ((payload['project_id'] ?? payload['projectId']) !== projectId)
      throw new InvalidTokenError('The token is of another project.');
    await requireKey({ token, binding: payload['cnf'] }, presented, check);
    const accessToken = contentOf(payload);
    if (isLive && !(await isLive(token))) throw new InvalidTokenError('The session or grant of the token has ended.');
    return accessToken;
  };
}

/**
 * Requires proof of the key for a token that is bound to one, and none for others (RFC 9449 §7.1, §7.2).
 * @throws InvalidTokenError
 */
async function requireKey(
  { token, binding }: { token: string; binding: unknown },
  presented: PresentedProof | undefined,
  check: ProofCheck | undefined,
): Promise<void> {
  if (binding === undefined && presented === undefined) return;
  if (binding === undefined) throw new InvalidTokenError('The token is bound to no key; send it as Bearer.');
  const { jkt } = Object(binding);
  if (!check || typeof jkt !== 'string')
    throw new InvalidTokenError('The token is bound to a key; it is no bearer token.');
  if (!presented) throw new InvalidTokenError('The token is bound to a key; send it as DPoP, with a proof.');
  const fault = await check({ token, thumbprint: jkt }, presented);
  if (fault !== null)
    throw new InvalidTokenError(`The DPoP proof was rejected: ${fault}.`, { code: 'invalid_dpop_proof' });
}

/** Errors of the key set's address say nothing about the token. */
const INVALID = [
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
];

function explain(error: unknown): never {
  if (error instanceof Error && INVALID.some((kind) => error instanceof kind))
    throw new InvalidTokenError(error.message, { cause: error });
  throw error;
}

function contentOf(claims: JWTPayload): AccessToken {
  const clientId = stringOf(claims['client_id']);
  const subject = claims.sub ?? clientId;
  if (subject === undefined) throw new InvalidTokenError('The token has no subject.');
  const sessionId = stringOf(claims['sid']);
  const organizationId = stringOf(claims['org_id']);
  return {
    kind: subject === clientId || claims['applicationId'] !== undefined ? 'machine' : 'person',
    subject,
    ...(clientId !== undefined && { clientId }),
    ...(sessionId !== undefined && { sessionId }),
    ...(organizationId !== undefined && { organizationId }),
    scopes: stringOf(claims['scope'])?.split(' ') ?? [],
    permissions: stringsOf(claims['permissions']),
    roles: stringsOf(claims['roles']),
    expiresAt: new Date((claims.exp ?? 0) * 1000),
    claims,
  };
}

function stringOf(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined;
}

function stringsOf(claim: unknown): readonly string[] {
  return Array.isArray(claim) ? claim.filter((item) => typeof item === 'string') : [];
}
