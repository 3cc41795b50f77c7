import { type Logger, pino } from 'pino';
import type { Config } from './config.ts';

/** JSON lines on standard error, so that what a command prints stays readable and pasteable. Credentials never get into it. */
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

/** Errors of libraries carry whole connections, with their secrets; what a person needs is this. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: plainError(error.cause) };
  return { type: error.name, message: error.message, stack: error.stack, ...code, ...cause };
}
