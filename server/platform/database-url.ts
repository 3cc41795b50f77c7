import { accessSync, constants } from 'node:fs';

/** The TLS modes that Latchkey takes, by their names in libpq. */
const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];
const WRITABLE = ['read-write', 'primary'];
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?@]*)(.*)$/s;

/**
 * The addresses of the servers that a database address names, in order. Like libpq, it may name several
 * (`one:5432,two:5432`) and a TLS mode (`sslmode`).
 */
export function serversOf(databaseUrl: string): string[] {
  const [, start = '', hosts = '', rest = ''] = PARTS.exec(databaseUrl) ?? [];
  return hosts.split(',').map((host) => {
    const url = new URL(start + host + rest);
    url.searchParams.delete('target_session_attrs');
    // The driver verifies by the public certificate authorities without it.
    if (url.searchParams.get('sslrootcert') === 'system') url.searchParams.delete('sslrootcert');
    // Without it, the driver gives the modes other meanings.
    if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true');
    return url.href;
  });
}

/** The servers for display, without user and password. */
export function hostsOf(databaseUrl: string): string {
  return PARTS.exec(databaseUrl)?.[2] ?? '';
}

/** The fault of a database address, as a phrase; null if it is valid. */
export function faultOfDatabaseUrl(databaseUrl: string): string | null {
  const [, start = '', hosts = '', rest = ''] = PARTS.exec(databaseUrl) ?? [];
  const urls = hosts.split(',').map((host) => URL.parse(start + host + rest));
  const [first] = urls;
  const isSocket = first?.searchParams.has('host') ?? false;
  if (!first || urls.some((url) => url === null || (url.hostname === '' && !isSocket)))
    return 'an address such as postgres://user:password@host:5432/database, or with several servers postgres://user:password@one:5432,two:5432/database. Characters that addresses reserve must be percent-encoded in user and password';
  const wanted = first.searchParams.get('target_session_attrs');
  if (wanted !== null && !WRITABLE.includes(wanted))
    return `target_session_attrs to be ${WRITABLE.join(' or ')}: Latchkey uses the server that accepts writes. Leave it out for that`;
  return faultOfTls(first.searchParams);
}

function faultOfTls(parameters: URLSearchParams): string | null {
  const mode = parameters.get('sslmode');
  const root = parameters.get('sslrootcert');
  if (mode === 'prefer' || mode === 'allow')
    return `a mode that nobody on the network can switch off: sslmode=${mode} falls back to plain text. Set one of ${TLS_MODES.join(', ')}`;
  if (mode !== null && !TLS_MODES.includes(mode)) return `sslmode to be one of ${TLS_MODES.join(', ')}`;
  if (mode === 'verify-ca' && (root === null || root === 'system'))
    return 'sslrootcert, the file of the certificate authority, with sslmode=verify-ca. With an authority that everybody may use, set sslmode=verify-full';
  if (root !== null && mode === null) return 'sslmode with sslrootcert: set sslmode=verify-full';
  if (root === 'system' && mode !== 'verify-full') return 'sslmode=verify-full with sslrootcert=system';
  const unread = ['sslrootcert', 'sslcert', 'sslkey'].find((name) => !isReadable(parameters.get(name)));
  return unread === undefined ? null : `${unread} to name a file that can be read: found none at that path`;
}

function isReadable(path: string | null): boolean {
  if (path === null || path === 'system') return true;
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** What an attacker on the network can do to the connection, as a phrase; null if nothing. */
export function exposureOf(databaseUrl: string): string | null {
  const urls = serversOf(databaseUrl).map((url) => new URL(url));
  const searchParams = urls[0]?.searchParams ?? new URLSearchParams();
  const mode = searchParams.get('sslmode');
  if (urls.every(isHere) || mode?.startsWith('verify-')) return null;
  if (mode === 'require')
    return searchParams.has('sslrootcert')
      ? null
      : 'The connection to the database is encrypted, but the server does not prove who it is (sslmode=require).';
  if (mode === null && ['true', '1'].includes(searchParams.get('ssl') ?? '')) return null;
  return 'The connection to the database is plain text: everybody on the network between can read and change it.';
}

function isHere({ hostname, searchParams }: URL): boolean {
  const host = searchParams.get('host') ?? hostname.replace(/^\[(.*)\]$/, '$1');
  return host === '' || host.startsWith('/') || host === 'localhost' || host === '::1' || /^127\./.test(host);
}
