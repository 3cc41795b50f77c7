import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { CLOCK_TOLERANCE_SECONDS } from './ended.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Latchkey signs one for each attempt, for two minutes. */
const MAX_AGE_SECONDS = 600;

/** What a logout token says: Latchkey has ended a session. */
export type Logout = { sid: string; jti: string; exp: number };

/** The token is not one that ends a session here. */
export class InvalidLogoutToken extends Error {}

/**
 * Checks a logout token (OpenID Connect Back-Channel Logout 1.0 §2.6).
 * @throws InvalidLogoutToken
 */
export async function readLogoutToken(
  token: string,
  { keys, issuer, clientId }: { keys: JWTVerifyGetKey; issuer: string; clientId: string },
): Promise<Logout> {
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    // An ID token or an access token has another one.
    typ: 'logout+jwt',
    requiredClaims: ['iat', 'exp', 'jti', 'sid', 'events'],
    maxTokenAge: MAX_AGE_SECONDS,
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
  }).catch((error: unknown) => {
    // If the keys cannot be read, the token may be right: Latchkey must send it again.
    const isUnknown = error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError);
    throw isUnknown ? error : new InvalidLogoutToken(error.message);
  });
  const { sid, jti, exp = 0, events, nonce } = payload;
  const event = Object(events)[EVENT];
  if (typeof event !== 'object' || event === null) throw new InvalidLogoutToken('The token is about another event.');
  if (nonce !== undefined) throw new InvalidLogoutToken('A logout token has no nonce.');
  if (typeof sid !== 'string' || sid === '' || typeof jti !== 'string')
    throw new InvalidLogoutToken('The token names no session.');
  return { sid, jti, exp };
}
