import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.ts';
import { placeNow } from './trace.ts';

/**
 * Writes JSON lines to standard error, so that the output of commands stays on standard output. Never logs credentials.
 * Lines of requests, jobs and periodic work have the id of their trace.
 */
export function createLog(
  config: Pick<Config, 'logLevel'>,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Logger {
  return pino(
    {
      level: config.logLevel,
      base: { pid: process.pid },
      mixin: position,
      serializers: { err: plainError },
      redact: ['*.password', '*.secret', '*.token', '*.authorization', '*.cookie'],
    },
    destination,
  );
}

function position(): { traceId?: string; spanId?: string } {
  const place = placeNow();
  if (!place) return {};
  return { traceId: place.traceId, ...(place.span && { spanId: place.span.spanId }) };
}

/** Reduces an error to what a person needs: errors of libraries may contain whole connections with their secrets. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: plainError(error.cause) };
  return { type: error.name, message: error.message, stack: error.stack, ...code, ...cause };
}
