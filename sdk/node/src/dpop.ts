import { base64url, calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, jwtVerify } from 'jose';

/** The algorithms that clients may sign proofs with. */
export const DPOP_ALGORITHMS = ['ES256', 'PS256', 'EdDSA'];

/** Maximum difference between a proof's time and the clock in seconds, as at Latchkey. */
const PROOF_SECONDS = 300;

export type DpopOptions = {
  /** The address at which clients reach your API, such as `https://orders.example.com`. A proof names it, with the path. */
  url: string;
  /**
   * Marks a proof as used, and returns whether it was unused. By default the process remembers the proofs that it saw; where
   * several processes serve your API, keep the ids where all of them look, each for that many seconds.
   */
  spend?: (id: string, seconds: number) => Promise<boolean>;
};

/** The request that presents a token as DPoP: the `DPoP` header, the method, and the path as clients see it. */
export type PresentedProof = { proof: string | null | undefined; method: string; path: string };

/** Says what is wrong with the proof of a request; null if nothing is. */
export type ProofCheck = (
  bound: { token: string; thumbprint: string },
  presented: PresentedProof,
) => Promise<string | null>;

/** Checks proofs of the key that an access token is bound to (RFC 9449 §4.3, §7.1). */
export function proofCheck({ url, spend = spender() }: DpopOptions): ProofCheck {
  const base = url.replace(/\/$/, '');
  return async ({ token, thumbprint }, { proof, method, path }) => {
    if (!proof) return 'the DPoP header is missing';
    const read = await readProof(proof);
    if (read === null) return 'it is not signed as it should be';
    const { claims, key } = read;
    const fault = faultOf(claims, { method, page: pageOf(base + path), ath: await digest(token) });
    if (fault !== null) return fault;
    if (key !== thumbprint) return 'it is of another key than that of the token';
    const isUnused = await spend(await digest(`${key} ${claims.jti}`), 2 * PROOF_SECONDS);
    return isUnused ? null : 'it was used before';
  };
}

function faultOf(
  { iat = 0, htm, htu, ath }: JWTPayload & { htm?: unknown; htu?: unknown; ath?: unknown },
  expected: { method: string; page: string | null; ath: string },
): string | null {
  if (Math.abs(Date.now() / 1000 - iat) > PROOF_SECONDS) return 'iat is not recent';
  if (htm !== expected.method) return 'htm is of another method';
  if (expected.page === null || pageOf(htu) !== expected.page) return 'htu is of another address';
  return ath === expected.ath ? null : 'ath is of another token';
}

/** @returns the claims of a proof and the thumbprint of its key; null if it is none */
async function readProof(proof: string): Promise<{ claims: JWTPayload; key: string } | null> {
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      algorithms: DPOP_ALGORITHMS,
      typ: 'dpop+jwt',
      requiredClaims: ['jti', 'iat', 'htm', 'htu', 'ath'],
    });
    return protectedHeader.jwk ? { claims: payload, key: await calculateJwkThumbprint(protectedHeader.jwk) } : null;
  } catch {
    return null;
  }
}

/** An address without query and fragment, with scheme, host, port and dots normalised (RFC 3986 §6.2.2.1, §6.2.2.3, §6.2.3). */
function pageOf(address: unknown): string | null {
  if (typeof address !== 'string' || !URL.canParse(address)) return null;
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

async function digest(text: string): Promise<string> {
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
}

/** Remembers proofs in this process. All are kept equally long, so the first ones end first. */
function spender(): (id: string, seconds: number) => Promise<boolean> {
  const endings = new Map<string, number>();
  return async (id, seconds) => {
    const now = Date.now();
    for (const [old, ending] of endings) {
      if (ending > now) break;
      endings.delete(old);
    }
    if (endings.has(id)) return false;
    endings.set(id, now + seconds * 1000);
    return true;
  };
}
