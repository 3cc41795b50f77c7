const REDACTED = '[redacted]';

/** Patterns of credentials: JSON Web Tokens, bearer values, Latchkey's own secrets and tokens, long random strings. */
const LOOKS_SECRET = [
  /\beyJ[\w-]+\.[\w-]+(\.[\w-]*)?/g,
  /\b(?:bearer|basic)\s+[\w.~+/=-]+/gi,
  /\b(?:whsec|lk[a-z]{1,3})_[\w+/=-]+/g,
  /\b(?=[\w-]*\d)(?=[\w-]*[a-zA-Z])[\w-]{32,}/g,
];
/** Header lines whose whole value is redacted, whatever their scheme is (RFC 9110 §11.6.2, RFC 6265). */
const HEADERS = /\b((?:proxy-)?authorization|(?:set-)?cookie)(\s*[:=]\s*)(?=[^\s"'])[^\r\n]*/gi;
const NAMED =
  /(["']?\b[\w-]*(?:password|passwd|secret|token|api[-_]?key|authorization|cookie|code)\\?["']?\s*[:=]\s*)(\\?"[^"]*"|'[^']*'|[^\s,;&}]+)/gi;
// PostgreSQL can't store NUL; the other control characters would garble a log.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes them
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/g;
const MAX_CHARACTERS = 500;

/**
 * Redacts credentials from the beginning of a receiver's response, for storage (ASVS 16.2.5).
 * @param known secrets of the endpoint, redacted wherever they appear
 */
export function redacted(text: string, known: readonly string[]): string {
  let shown = text;
  for (const secret of known) if (secret.length >= 4) shown = shown.replaceAll(secret, REDACTED);
  shown = shown.replace(HEADERS, `$1$2${REDACTED}`).replace(NAMED, `$1${REDACTED}`);
  for (const pattern of LOOKS_SECRET) shown = shown.replace(pattern, REDACTED);
  return shown.replace(CONTROL, '').slice(0, MAX_CHARACTERS);
}
