import { join, resolve } from 'node:path';

/** The longest path of a Unix socket in bytes: 103 on macOS, 107 on Linux. */
const MAX_PATH_BYTES = 103;
/** The longest name that PostgreSQL gives a socket: it ends in the port. */
const LONGEST_NAME = '.s.PGSQL.65535';

/**
 * The folder of the socket of an embedded server: that of its data, which only its user can enter. Empty (no socket) on
 * Windows, and where the path would be too long.
 */
export function socketDirOf(databaseDir: string): string {
  const folder = resolve(databaseDir);
  const fits = Buffer.byteLength(join(folder, LONGEST_NAME)) <= MAX_PATH_BYTES;
  return process.platform !== 'win32' && fits ? folder : '';
}
