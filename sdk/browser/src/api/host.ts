import { contentOf, type Issuer, refusalOf, send } from '../endpoints.ts';
import type { SignInMethods } from './answers.ts';

export type Call = { body?: object | undefined; token?: string | undefined; cookies?: boolean | undefined };

/**
 * A request to the API, by POST if there is a body.
 * @returns the content of the response
 * @throws AuthError offline, unavailable, refused
 */
export async function call(issuer: Issuer, url: string, { body, token, cookies }: Call = {}) {
  const response = await send(issuer, url, {
    method: body ? 'POST' : 'GET',
    credentials: cookies ? 'include' : 'omit',
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: body ? JSON.stringify(body) : null,
  });
  const content = await contentOf(response);
  if (!response.ok) throw refusalOf(response, content);
  return content;
}

/** @returns a function that reads what the project allows: once, and again after a failure */
export function methodsOf(issuer: Issuer): () => Promise<SignInMethods> {
  let known: Promise<SignInMethods> | null = null;
  return () => {
    known ??= call(issuer, addressOf(issuer, 'methods')).catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  };
}

/** The address of what the API says about sign-ins of the application. */
export function addressOf({ url, clientId }: Issuer, name: 'methods' | 'challenge'): string {
  return `${url}/v1/auth/${name}?clientId=${encodeURIComponent(clientId)}`;
}
