import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';

/** Letters and digits, with hyphens inside (RFC 1123 §2.1). */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Characters of an address outside of its host name, and characters that host names may not have. */
const FOREIGN = /[\s/:@?#%\\*_[\]]/;
/** Never in the public DNS (RFC 6761, RFC 6762, RFC 7686, RFC 8375). */
const LOCAL = ['localhost', 'local', 'internal', 'onion', 'invalid', 'arpa'];
/** The proof's name, which precedes the host, must also be a valid name (RFC 1035 §2.3.4). */
const LONGEST = 253 - '_latchkey-verification.'.length;

/**
 * Parses a host name as people write it: in any case and script, with or without a dot at the end.
 * @returns the name in ASCII and lower case, as it is compared and looked up (RFC 5891)
 * @throws Problem VALIDATION_FAILED that says what is expected
 */
export function hostNameFrom(system: Pick<System, 'config'>, written: string): string {
  const host = domainToASCII(written.replace(/[.。]$/, ''));
  const fault = FOREIGN.test(written) ? NO_ADDRESS : faultOf(host);
  if (fault) throw invalid(fault);
  const { console, status, test, production } = system.config.addresses;
  const own = [console, status, test.auth, test.api, production.auth, production.api].map(
    (url) => new URL(url).hostname,
  );
  if (own.includes(host)) throw invalid('is an address of this installation itself');
  return host;
}

const NO_ADDRESS = 'expected a host name such as login.example.com, without scheme, port, path or wildcard';

function faultOf(host: string): string | undefined {
  const labels = host.split('.');
  const top = labels.at(-1) ?? '';
  if (isIP(host) !== 0 || /^\d*$/.test(top)) return NO_ADDRESS;
  if (labels.length < 2) return 'expected a name with at least two parts, such as login.example.com';
  if (LOCAL.includes(top))
    return `names under .${top} are not in the public DNS, so nobody can prove that one is theirs`;
  if (host.length > LONGEST) return `is longer than ${LONGEST} characters`;
  // A label that looks encoded but can't be decoded (RFC 5891 §5.4).
  const misencoded = domainToUnicode(host)
    .split('.')
    .some((label) => label.startsWith('xn--'));
  return !misencoded && labels.every((label) => LABEL.test(label)) ? undefined : NO_ADDRESS;
}

function invalid(message: string) {
  return problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/host', message }] } });
}
