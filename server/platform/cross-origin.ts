/** Headers of the interface that a browser hides from a page of another origin unless told otherwise (Fetch Standard, CORS protocol). */
export const EXPOSED_HEADERS =
  'etag, retry-after, x-correlation-id, traceparent, www-authenticate, dpop-nonce, location, idempotent-replayed, ratelimit, ratelimit-policy, deprecation, sunset, link, content-disposition';
