import { setTimeout } from 'node:timers/promises';
import Provider, { errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { System } from '#platform/system.ts';
import { keyOfBearer, RefreshTokens } from './adapter.ts';
import { applicationOf, type IssuerAddress } from './clients.ts';

type RefreshToken = InstanceType<Provider['RefreshToken']>;

declare module 'oidc-provider' {
  interface RefreshToken {
    /** The key of the token that this one replaces. */
    replaces?: string;
    /** When it was used before, a moment ago; in seconds since the epoch. */
    usedAt?: number;
  }
}

/** A request that lost the race for a token waits this long for the token of the winner. */
const SUCCESSOR_WAIT_MS = 2_000;
const SUCCESSOR_POLL_MS = 50;

/** The refresh token that a response returns instead of the one in the request. */
const successors = new WeakMap<object, string>();

/**
 * Whether a use of a refresh token replaces it. One that is bound to a key needs no rotation, and FAPI 2.0 forbids it
 * (§5.3.2.1): its clients authenticate with a key, and DPoP does not bind refresh tokens of confidential clients (RFC
 * 9449 §5). A client that lost the response, or whose tabs or servers refresh at the same moment, gets the same new
 * token again within the grace time; of concurrent requests exactly one replaces the token.
 * @throws InvalidGrant for another use of a replaced token, which ends the grant
 */
export async function isRotated(system: System, issuer: IssuerAddress, ctx: KoaContextWithOIDC): Promise<boolean> {
  const { Client: client, RefreshToken: token, Grant: grant } = ctx.oidc.entities;
  if (!client || !token || token.isSenderConstrained() || applicationOf(client).profile === 'fapi2') return false;
  const tokens = new RefreshTokens(system, issuer);
  if (token.usedAt === undefined && (await tokens.use(token.jti))) return true;
  const successor = await successorOf(tokens, token);
  if (successor) {
    successors.set(ctx, successor);
    return false;
  }
  if (token.usedAt !== undefined) await grant?.destroy();
  throw new errors.InvalidGrant('refresh token already used');
}

/** @returns undefined if the successor was used itself, or was never stored */
async function successorOf(tokens: RefreshTokens, { jti, grantId }: RefreshToken): Promise<string | undefined> {
  const until = performance.now() + SUCCESSOR_WAIT_MS;
  for (;;) {
    // biome-ignore lint/performance/noAwaitInLoops: it asks again until the winner has stored its token
    const successor = await tokens.successorOf(jti, grantId);
    if (successor || performance.now() >= until) return successor?.isUsed === false ? successor.token : undefined;
    await setTimeout(SUCCESSOR_POLL_MS);
  }
}

/** Makes the provider store which token replaces which, and lets {@link isRotated} decide on repeated uses. */
export function repeatLostRefreshes({ RefreshToken }: Provider): void {
  const fields = RefreshToken.IN_PAYLOAD;
  Object.defineProperty(RefreshToken, 'IN_PAYLOAD', { get: () => [...fields, 'replaces', 'usedAt'] });
  const { save } = RefreshToken.prototype;
  RefreshToken.prototype.save = function saveAsSuccessor(...args) {
    const replaced = Provider.ctx?.oidc.entities.RotatedRefreshToken;
    if (replaced && this.replaces === undefined) this.replaces = keyOfBearer(replaced.jti);
    return save.apply(this, args);
  };
  // `isRotated` has marked the token as used.
  RefreshToken.prototype.consume = async () => undefined;
}

/** Names the successor in the response, where {@link isRotated} found it. */
export function returnSuccessor(ctx: { status: number; body?: unknown }): void {
  const successor = successors.get(ctx);
  if (successor !== undefined && ctx.status === 200) ctx.body = { ...Object(ctx.body), refresh_token: successor };
}
