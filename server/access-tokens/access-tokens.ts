import { hash } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { addressesOf, authAddressOf } from '#domains';
import { signCompact, signingKeys } from '#keys';
import type { Ctx, Environment } from '#platform/ctx.ts';
import { IdSchema, newId, type ScopeEntryId } from '#platform/ids.ts';
import { type Problem, problem } from '#platform/problem.ts';
import { perSystem, type System } from '#platform/system.ts';
import { isClosed } from '#tenancy';
import { revocations } from './revocations.ts';

const common = {
  iat: Type.Integer(),
  exp: Type.Integer(),
  workspaceId: IdSchema('wrk'),
  projectId: IdSchema('prj'),
  environment: Type.Enum(['test', 'production']),
};

const CustomerClaims = Type.Object({
  ...common,
  sub: IdSchema('usr'),
  sid: IdSchema('ses'),
  entryId: IdSchema('ent'),
  amr: Type.Array(Type.String()),
  acr: Type.String(),
  auth_time: Type.Integer(),
  /** Counts the renewals of the entry. Only tokens of entries in organizations have it. */
  entryVersion: Type.Optional(Type.Integer()),
  org_id: Type.Optional(IdSchema('org')),
  org_slug: Type.Optional(Type.String()),
  org_name: Type.Optional(Type.String()),
  org_roles: Type.Optional(Type.Array(Type.String())),
});

const ManagementClaims = Type.Object({
  ...common,
  client_id: Type.String(),
  applicationId: IdSchema('app'),
  scope: Type.String(),
});

export type CustomerClaims = Static<typeof CustomerClaims>;
type ManagementClaims = Static<typeof ManagementClaims>;

/** The content of a valid token, by kind. */
export type VerifiedToken = { keyId: string; issuer: string; audience: readonly string[] } & (
  | { kind: 'customer'; claims: CustomerClaims }
  | { kind: 'management'; claims: ManagementClaims }
);

const isCustomer = Compile(CustomerClaims);
const isManagement = Compile(ManagementClaims);

const CLOSED = 'The project of this token is about to be deleted.';
const ALGORITHM = 'ES256';
const TYPE = 'at+jwt';
/** Verified tokens cached per process; each takes about a kilobyte. */
const MAX_REMEMBERED = 20_000;

/**
 * Signs an access token (RFC 9068) for one scope entry. `claims.iat` and `exp` are seconds since the epoch. The issuer
 * is the auth address of the request. The audience is the API address of the same kind: the project's own if the issuer
 * is the project's own.
 */
export async function signAccessToken(
  ctx: Pick<Ctx, 'system' | 'scope' | 'authAddress'>,
  claims: CustomerClaims,
): Promise<string> {
  const { system } = ctx;
  const key = await signingKeys(system, claims.environment).signer(ALGORITHM);
  const common = system.config.addresses[claims.environment];
  const iss = await authAddressOf(ctx);
  const own = iss === common.auth ? [] : (await addressesOf(system, ctx.scope)).api;
  return signCompact(key, TYPE, { ...claims, iss, aud: own[0] ?? common.api, jti: newId('tok', system.clock.now()) });
}

/**
 * Checks an access token of one environment without reading the database while the change feed is live.
 * Algorithm, type, issuer and audience are fixed; key-carrying headers are ignored (RFC 8725 §3.1, §3.11; OA-10).
 * @throws Problem AUTHENTICATION_REQUIRED, SESSION_EXPIRED, SESSION_REVOKED
 */
export async function verifyAccessToken(
  system: System,
  environment: Environment,
  token: string,
): Promise<VerifiedToken> {
  const cache = tokenCache(system);
  const digest = digestOf(environment, token);
  const cached = cache.get(digest);
  // The key may have been retired after its token was cached.
  const known = cached && signingKeys(system, environment).isPublished(cached.keyId) ? cached : undefined;
  const verified = known ?? (await checkSignature(system, environment, token));
  if (!isCommon(system, verified)) await requireOwnAddresses(system, verified);
  if (verified.claims.exp * 1000 <= system.clock.now().getTime()) throw problem('SESSION_EXPIRED');
  const revoked = revocations(system).isRevoked(subjectsOf(verified), environment, verified.claims);
  if (revoked === true || (revoked !== false && (await revoked))) throw problem('SESSION_REVOKED');
  const closed = isClosed(system, verified.claims);
  if (closed === true || (closed !== false && (await closed))) throw problem('SESSION_REVOKED', CLOSED);
  if (!known) remember(cache, digest, verified);
  return verified;
}

function digestOf(environment: Environment, token: string): string {
  return hash('sha256', `${environment} ${token}`, 'base64url');
}

/**
 * A token for the environment's own addresses that was checked before, if memory alone tells that it is valid.
 * @returns undefined for every other token; {@link verifyAccessToken} decides on it
 */
export function knownAccessToken(system: System, environment: Environment, token: string): VerifiedToken | undefined {
  const known = tokenCache(system).get(digestOf(environment, token));
  if (!known || !signingKeys(system, environment).isPublished(known.keyId) || !isCommon(system, known))
    return undefined;
  if (known.claims.exp * 1000 <= system.clock.now().getTime()) return undefined;
  if (revocations(system).isRevoked(subjectsOf(known), environment, known.claims) !== false) return undefined;
  return isClosed(system, known.claims) === false ? known : undefined;
}

/** The subjects whose revocation ends this token. */
function subjectsOf({ kind, claims }: VerifiedToken): readonly string[] {
  if (kind === 'management') return [claims.applicationId];
  const { sid, entryId, entryVersion } = claims;
  return entryVersion === undefined ? [sid, entryId] : [sid, entryId, versionedEntry(entryId, entryVersion)];
}

/** The subject whose revocation ends the access tokens that an entry got until its next renewal. */
export function versionedEntry(entryId: ScopeEntryId, version: number): string {
  return `${entryId}.${version}`;
}

async function checkSignature(system: System, environment: Environment, token: string): Promise<VerifiedToken> {
  const keys = signingKeys(system, environment);
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      async ({ kid }: { kid?: string }) => {
        const key = await keys.verifier(kid ?? '');
        if (!key) throw new errors.JWKSNoMatchingKey();
        return key.publicKey;
      },
      {
        algorithms: [ALGORITHM],
        typ: TYPE,
        currentDate: system.clock.now(),
        requiredClaims: ['exp', 'iat', 'iss', 'aud'],
      },
    );
    return classified(protectedHeader.kid ?? '', payload, environment);
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw problem('SESSION_EXPIRED');
    if (error instanceof errors.JOSEError)
      throw problem('AUTHENTICATION_REQUIRED', { detail: 'The bearer token is not valid here.', cause: error });
    throw error;
  }
}

function classified(keyId: string, payload: JWTPayload, environment: Environment): VerifiedToken {
  const { iss: issuer = '', aud = [] } = payload;
  const audience = typeof aud === 'string' ? [aud] : aud;
  if (isCustomer.Check(payload) && payload.environment === environment)
    return { kind: 'customer', keyId, issuer, audience, claims: payload };
  if (isManagement.Check(payload) && payload.environment === environment)
    return { kind: 'management', keyId, issuer, audience, claims: payload };
  throw wrongKind();
}

/** True for a token of the environment's own addresses, which all projects share. */
function isCommon({ config }: System, { issuer, audience, claims }: VerifiedToken): boolean {
  const { auth, api } = config.addresses[claims.environment];
  return issuer === auth && audience.includes(api);
}

/**
 * A token may name addresses that its project has bound. Checked on every use, because a project can lose a domain.
 * @throws Problem AUTHENTICATION_REQUIRED, WRONG_TOKEN_KIND for the token of an application's own API
 */
async function requireOwnAddresses(system: System, { issuer, audience, claims }: VerifiedToken): Promise<void> {
  const { workspaceId, projectId, environment } = claims;
  const common = system.config.addresses[environment];
  const own = await addressesOf(system, { workspaceId, projectId, environment });
  if (issuer !== common.auth && !own.auth.includes(issuer))
    throw problem('AUTHENTICATION_REQUIRED', 'The issuer of the bearer token is not served here.');
  if (![common.api, ...own.api].some((address) => audience.includes(address))) throw wrongKind();
}

/** For a token that we issued but that is neither a session nor a management token, and can't be exchanged for one. */
function wrongKind(): Problem {
  return problem(
    'WRONG_TOKEN_KIND',
    'This is not a session or management token. ID tokens and access tokens for a resource server are not accepted here and cannot be exchanged; only an access token that a first-party application requested without `resource` can be.',
  );
}

/** Verified tokens by digest, oldest first. */
const tokenCache = perSystem(() => new Map<string, VerifiedToken>());

function remember(cache: Map<string, VerifiedToken>, digest: string, verified: VerifiedToken): void {
  if (cache.size >= MAX_REMEMBERED) {
    const oldest = cache.keys().next().value;
    if (oldest !== undefined) cache.delete(oldest);
  }
  cache.set(digest, verified);
}
