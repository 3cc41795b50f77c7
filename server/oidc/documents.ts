import { createHash } from 'node:crypto';
import { EXPOSED_HEADERS } from '#platform/cross-origin.ts';
import type { EarlyDocument } from '#platform/http-early.ts';

/** The paths of an issuer's public documents. */
export const DOCUMENT_PATHS = [
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/connect/jwks',
] as const;
export type DocumentPath = (typeof DOCUMENT_PATHS)[number];

/** The provider's response before it is sent. */
type DocumentResponse = {
  path: string;
  status: number;
  body: unknown;
  response: { get: (header: string) => string };
  set: (headers: Record<string, string>) => void;
};

/** Seconds for which clients may cache a document. A new key has to be published longer than this before it signs. */
const MAX_AGE = 300;

/** Cached copies of the documents at {@link DOCUMENT_PATHS}: they are constant, so the provider renders each once. */
export class Documents {
  readonly #kept = new Map<DocumentPath, EarlyDocument>();

  get(path: DocumentPath): EarlyDocument | undefined {
    return this.#kept.get(path);
  }

  /** Makes the provider's response cacheable and keeps a copy, if it is one of the documents. */
  keep(response: DocumentResponse): void {
    const path = DOCUMENT_PATHS.find((candidate) => candidate === response.path);
    if (!path || response.status !== 200) return;
    const body = JSON.stringify(response.body);
    const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
    // Public and without credentials, so pages of any origin may read it.
    const headers = {
      'content-type': response.response.get('content-type'),
      'cache-control': `public, max-age=${MAX_AGE}`,
      'access-control-allow-origin': '*',
      'access-control-expose-headers': EXPOSED_HEADERS,
    };
    response.set({ ...headers, etag });
    this.#kept.set(path, { body, etag, headers });
  }
}
