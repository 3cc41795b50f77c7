import { hash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, jwtVerify } from 'jose';
import type { Request } from '#platform/http.ts';
import { Problem, problem } from '#platform/problem.ts';

/** The algorithms that applications may sign proofs with. */
export const DPOP_ALGORITHMS = ['PS256', 'ES256', 'EdDSA'] as const;

/** Maximum difference between a proof's time and the server clock in seconds, as at the provider's own endpoints. */
export const PROOF_SECONDS = 300;

/** A proof of the key that a token is bound to. */
export type Proof = { thumbprint: string; jti: string };

/**
 * Checks the DPoP proof of a request and its access token (RFC 9449 §4.3, §7.1). The caller must ensure that it is used
 * only once.
 * @throws Problem AUTHENTICATION_REQUIRED with a challenge for DPoP
 */
export async function checkProof(request: Request, token: string): Promise<Proof> {
  const proof = request.headers['dpop'];
  if (typeof proof !== 'string') throw refused('the DPoP header is missing');
  const now = request.server.system.clock.now();
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      algorithms: [...DPOP_ALGORITHMS],
      typ: 'dpop+jwt',
      currentDate: now,
      requiredClaims: ['jti', 'iat', 'htm', 'htu', 'ath'],
    });
    const fault = faultOf(payload, { request, token, now });
    if (fault) throw refused(fault);
    if (!payload.jti || !protectedHeader.jwk) throw refused('jti and jwk are needed');
    return { thumbprint: await calculateJwkThumbprint(protectedHeader.jwk), jti: payload.jti };
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw refused('it is not signed as it should be');
  }
}

function faultOf(
  { iat = 0, htm, htu, ath }: JWTPayload & { htm?: unknown; htu?: unknown; ath?: unknown },
  { request, token, now }: { request: Request; token: string; now: Date },
): string | undefined {
  if (Math.abs(now.getTime() / 1000 - iat) > PROOF_SECONDS) return 'iat is not recent';
  if (htm !== request.method) return 'htm is of another method';
  if (pageOf(htu) !== pageOf(request.address.url + request.url)) return 'htu is of another address';
  return ath === hash('sha256', token, 'base64url') ? undefined : 'ath is of another token';
}

/** An address without query and fragment, written as RFC 3986 §6.2 normalises it. */
function pageOf(address: unknown): string | undefined {
  const url = typeof address === 'string' ? URL.parse(address) : null;
  return url ? url.origin + url.pathname : undefined;
}

/** The response to an invalid proof or key-bound token (RFC 9449 §7.1). */
export function refused(why: string, error: 'invalid_dpop_proof' | 'invalid_token' = 'invalid_dpop_proof'): Problem {
  return problem('AUTHENTICATION_REQUIRED', {
    detail: `The DPoP proof was rejected: ${why}.`,
    headers: { 'www-authenticate': `DPoP realm="latchkey", error="${error}", algs="${DPOP_ALGORITHMS.join(' ')}"` },
  });
}
