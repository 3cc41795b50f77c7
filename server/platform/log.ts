import { type Logger, pino } from 'pino';
import type { Config } from './config.ts';

/**
 * Writes JSON lines to standard error, so that the output of commands stays on standard output. Never logs credentials.
 */
export function createLog(config: Pick<Config, 'logLevel'>): Logger {
  return pino(
    {
      level: config.logLevel,
      base: { pid: process.pid },
      serializers: { err: plainError },
      redact: ['*.password', '*.secret', '*.token', '*.authorization', '*.cookie'],
    },
    pino.destination({ fd: 2, sync: true }),
  );
}

/** Reduces an error to what a person needs: errors of libraries may contain whole connections with their secrets. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: plainError(error.cause) };
  return { type: error.name, message: error.message, stack: error.stack, ...code, ...cause };
}
