import { hash, timingSafeEqual } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { problem } from '#platform/problem.ts';

/** Binds a code to the application that started the flow, and to the browser that knows the challenge's verifier. */
export const Binding = Type.Object({
  /**
   * Null for a sign-in on our own pages, which ends at our provider, and for linking: neither gives an application a
   * session.
   */
  clientId: Type.Union([Type.String(), Type.Null()]),
  codeChallenge: Type.Union([Type.String(), Type.Null()]),
});
export type Binding = Static<typeof Binding>;

/** PKCE with S256 (RFC 7636); `plain` is not accepted. */
export const CodeChallenge = Type.String({
  pattern: '^[A-Za-z0-9_-]{43}$',
  description: 'SHA-256 of a `codeVerifier` (PKCE S256).',
});

/** What a caller presents to exchange a code. */
export type Shown = { clientId?: string | undefined; codeVerifier?: string | undefined };

/**
 * A code can be exchanged only by the party that started the flow: proven by the verifier, or else by the same
 * application (RFC 9700 §2.1.1). Public clients can prove only the verifier, so they must send a challenge when they
 * start a sign-in.
 * @throws Problem INVALID_TOKEN
 */
export function requireBegun(binding: Binding, { clientId, codeVerifier }: Shown): void {
  if (clientId !== undefined && clientId !== binding.clientId)
    throw problem('INVALID_TOKEN', 'The code was issued to another application.');
  checkVerifier(binding.codeChallenge, codeVerifier);
  if (binding.codeChallenge === null && clientId === undefined)
    throw problem('INVALID_TOKEN', 'Send the `clientId` that started the sign-in.');
}

/**
 * RFC 7636 §4.6; a verifier without a challenge is refused too (OA-3).
 * @throws Problem INVALID_TOKEN
 */
function checkVerifier(challenge: string | null, verifier: string | undefined): void {
  if (challenge === null && verifier === undefined) return;
  const made = Buffer.from(challengeOf(verifier ?? ''));
  const expected = Buffer.from(challenge ?? '');
  if (made.length !== expected.length || !timingSafeEqual(made, expected))
    throw problem('INVALID_TOKEN', 'The code verifier does not match the code challenge of the sign-in.');
}

/** The S256 challenge of a verifier (RFC 7636 §4.2). */
export function challengeOf(verifier: string): string {
  return hash('sha256', verifier, 'base64url');
}
