/**
 * Headers for the pages that the library renders: the one that posts a response to an application (`form_post`), and
 * the one that signs out before another user signs in. The library adds the hash of their script. A form may lead to an
 * application, and from there anywhere, so `form-action` stays open, as on the hosted pages that redirect.
 */
export const PROVIDER_HEADERS = {
  'content-security-policy': "default-src 'none'; script-src; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};
