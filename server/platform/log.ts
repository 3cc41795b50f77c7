import { type Logger, pino } from 'pino';
import type { Config } from './config.ts';

/** JSON lines on standard error, so that what a command prints stays readable and pasteable. Credentials never get into it. */
export function createLog(config: Pick<Config, 'logLevel'>): Logger {
  return pino(
    {
      level: config.logLevel,
      base: { pid: process.pid },
      redact: ['req.headers.authorization', 'req.headers.cookie', '*.password', '*.secret', '*.code', '*.token'],
    },
    pino.destination({ fd: 2, sync: true }),
  );
}
