import { errors, type Provider } from 'oidc-provider';
import { claimsOfActions } from '#actions';
import { type Application, isFirstParty } from '#applications';
import type { Ctx } from '#platform/ctx.ts';
import type { OrganizationId, UserId } from '#platform/ids.ts';
import { Problem } from '#platform/problem.ts';

type Subject = { application: Application; userId: UserId | null; organizationId: OrganizationId | null };
type CustomClaims = Readonly<Record<string, unknown>>;

/** The claims of each request, by subject and organization, because its tokens are described one after the other. */
const asked = new WeakMap<object, Map<string, Promise<CustomClaims>>>();

/**
 * The claims that actions add to the tokens of a request, and to userinfo. Third-party applications get none, because
 * people consent to scopes, and these have none.
 * @param request what the claims are kept for
 * @throws OIDCProviderError if an action fails that refuses then
 */
export function customClaims(ctx: Ctx, request: object, subject: Subject): Promise<CustomClaims> {
  const { application, userId, organizationId } = subject;
  if (!isFirstParty(application)) return Promise.resolve({});
  const known = asked.get(request) ?? new Map<string, Promise<CustomClaims>>();
  asked.set(request, known);
  const key = `${userId} ${organizationId}`;
  const claims = known.get(key) ?? read(ctx, { application, userId, organizationId });
  known.set(key, claims);
  return claims;
}

async function read(ctx: Ctx, { application, ...subject }: Subject): Promise<CustomClaims> {
  const { id, clientId, name } = application;
  try {
    return await claimsOfActions(ctx, { ...subject, application: { id, clientId, name } });
  } catch (error) {
    throw error instanceof Problem ? notNow() : error;
  }
}

/** The error for a request that may succeed soon (RFC 6749 §4.1.2.1). */
export function notNow(): errors.OIDCProviderError {
  return Object.assign(new errors.OIDCProviderError(503, 'temporarily_unavailable'), {
    // The library says `server_error` for a status from 500 otherwise.
    expose: true,
    error_description: 'a check of the project gives no answer right now; try again shortly',
  });
}

declare module 'oidc-provider' {
  interface Claims {
    /** What the account may tell. */
    available: Record<string, unknown>;
  }
}

/** Lets claims of actions pass, which no scope stands for. All have the address of a web page as their name. */
export function passCustomClaims({ Claims: { prototype } }: Provider): void {
  const { result } = prototype;
  prototype.result = async function withCustomClaims() {
    const custom = Object.entries(this.available).filter(([name]) => name.startsWith('https://'));
    return { ...Object.fromEntries(custom), ...(await result.call(this)) };
  };
}
