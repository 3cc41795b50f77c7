import { AuthError } from './errors.ts';

export function base64url(bytes: ArrayBuffer | Uint8Array): string {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

export function encodeText(text: string): string {
  return base64url(new TextEncoder().encode(text));
}

/** 256 bits, for state, nonce, PKCE and ids. */
export function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

export async function sha256(text: string): Promise<string> {
  return base64url(await webCrypto().digest('SHA-256', new TextEncoder().encode(text)));
}

/** @throws AuthError insecure_context */
export function webCrypto(): SubtleCrypto {
  // The type says that it is always there; browsers leave it out of insecure pages.
  const subtle: SubtleCrypto | undefined = crypto.subtle;
  if (!subtle) throw new AuthError('insecure_context', 'Serve the page by https or from localhost.');
  return subtle;
}

/** @returns the payload of a JWT, unverified; an empty object if it is none */
export function payloadOf(jwt: string): Record<string, unknown> {
  try {
    const text = atob((jwt.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/'));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    return { ...Object(JSON.parse(new TextDecoder().decode(bytes))) };
  } catch {
    return {};
  }
}
