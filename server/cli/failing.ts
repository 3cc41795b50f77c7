import { StartError } from '#platform/start-error.ts';

/** Remedies for errors of a socket or a database server, by code. */
const REMEDIES: Record<string, string> = {
  EADDRINUSE: 'Another program, or another Latchkey, listens there. Stop it, or set LATCHKEY_PORT_BASE to other ports.',
  EACCES:
    'Latchkey may not do that as this user. Ports below 1024 need more rights: set LATCHKEY_PORT_BASE to higher ports.',
  ECONNREFUSED: 'No database server answers there. Start it, or correct DATABASE_URL.',
  ENOTFOUND: 'There is no machine of that name. Correct DATABASE_URL.',
  '28P01': 'The database refused the password in DATABASE_URL.',
  '28000': 'The database refused the user in DATABASE_URL.',
  '3D000': 'Create the database that DATABASE_URL names first.',
  '42501': 'The database user in DATABASE_URL may not do that: it must own the database.',
};

/** Runs a command. Prints a fault that a person can fix as a message, any other with its trace; exits with status 1. */
export async function failing(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  }
}

/** The fault, and its remedy. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof StartError) return error.message;
  const remedy = REMEDIES['code' in error ? String(error.code) : ''];
  return remedy === undefined
    ? (error.stack ?? error.message)
    : `${error.message || String(Object(error).code)}. ${remedy}`;
}
