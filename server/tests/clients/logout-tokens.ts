import assert from 'node:assert/strict';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { Reply, Settings, Visit } from './relying-party.ts';

/**
 * Receives logout tokens, for libraries that leave it to jose (OpenID Connect Back-Channel Logout 1.0 §2.6).
 * @param sidOf the `sid` of the ID token of a session
 */
export function endsSessions<S>(
  { issuer, clientId }: Settings,
  sidOf: (session: Partial<S>) => unknown,
): (visit: Visit<S>) => Promise<Reply> {
  const keys = createRemoteJWKSet(new URL(`${issuer}/connect/jwks`));
  return async ({ form, sessions }) => {
    const checks = { issuer, audience: clientId, typ: 'logout+jwt', requiredClaims: ['sid', 'jti', 'iat'] };
    const { payload } = await jwtVerify(form.get('logout_token') ?? '', keys, checks);
    assert.ok('http://schemas.openid.net/event/backchannel-logout' in Object(payload['events']));
    assert.equal(payload['nonce'], undefined);
    for (const [id, session] of sessions) if (sidOf(session) === payload['sid']) sessions.delete(id);
    return { status: 200 };
  };
}
