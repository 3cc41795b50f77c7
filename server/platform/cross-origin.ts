/** Response headers that a browser hides from pages of other origins by default (Fetch Standard, CORS protocol). */
export const EXPOSED_HEADERS =
  'date, etag, retry-after, x-correlation-id, traceparent, www-authenticate, dpop-nonce, location, idempotent-replayed, ratelimit, ratelimit-policy, deprecation, sunset, link, content-disposition';
