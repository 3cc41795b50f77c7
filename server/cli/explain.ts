import { UnknownKeyError } from '#platform/keyring.ts';
import { StartError } from '#platform/start-error.ts';

const CERTIFICATE =
  'The certificate of the database server cannot be verified. Name the file of its certificate authority in DATABASE_URL: ?sslmode=verify-full&sslrootcert=/path/ca.pem';

/** Remedies for errors of a socket or a database server, by code. */
const REMEDIES: Record<string, string> = {
  EADDRINUSE: 'Another program, or another Latchkey, listens there. Stop it, or set LATCHKEY_PORT_BASE to other ports.',
  EACCES:
    'Latchkey may not do that as this user. Ports below 1024 need more rights: set LATCHKEY_PORT_BASE to higher ports.',
  ECONNREFUSED: 'No database server responds there. Start it, or correct DATABASE_URL.',
  ECONNRESET: 'The database server ended the connection. See its log, or correct DATABASE_URL.',
  ETIMEDOUT: 'The database server did not respond. Let the network through, or correct DATABASE_URL.',
  ENOTFOUND: 'There is no machine of that name. Correct DATABASE_URL.',
  EAI_AGAIN: 'The name of the database server could not be looked up. See whether DNS works, or correct DATABASE_URL.',
  '08P01': 'A pooler refused what Latchkey sends. Set DATABASE_DIRECT_URL to the address of PostgreSQL itself.',
  '25006': 'Name the primary in DATABASE_URL, or all servers: postgres://user:password@one:5432,two:5432/database.',
  '28P01': 'The database refused the password in DATABASE_URL.',
  '28000': 'The database refused the user in DATABASE_URL.',
  '3D000': 'Create the database that DATABASE_URL names first.',
  '42501':
    'The database user in DATABASE_URL may not do that. Run "latchkey migrate" as the user that owns the database: see docs/operations.md.',
  '53300': 'All connections of the database are in use. Lower LATCHKEY_DATABASE_POOL, or raise max_connections.',
  '55P03': 'Another session holds a lock for too long. Find it in pg_stat_activity, end it, and start again.',
  '57P03': 'The database server is starting or stopping. Start Latchkey again in a moment.',
  CERT_HAS_EXPIRED: 'The certificate of the database server has expired. Renew it.',
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'The certificate of the database server is for another name. Use that name in DATABASE_URL, or sslmode=verify-ca with sslrootcert.',
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
};

/** Errors that have no code but a known remedy, by their message. */
const MENDABLE =
  /^(?:The server does not support SSL connections|timeout expired|Connection terminated unexpectedly|Query read timeout)/;

/** The fault, and its remedy. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof StartError || error instanceof UnknownKeyError) return error.message;
  const remedy = REMEDIES['code' in error ? String(error.code) : ''];
  if (remedy !== undefined) return `${error.message || String(Object(error).code)}. ${remedy}`;
  if (error instanceof AggregateError) return error.errors.map(explain).join('\n');
  if (MENDABLE.test(error.message)) return `${error.message}. See whether DATABASE_URL is right and its server runs.`;
  return error.stack ?? error.message;
}
