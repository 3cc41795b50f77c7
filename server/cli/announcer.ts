import type { Writable } from 'node:stream';
import type { Logger } from 'pino';
import { printsJson } from '#platform/config.ts';
import type { Values } from '#platform/config-reader.ts';
import { createLog } from '#platform/log.ts';
import { explain } from './explain.ts';

/** Prints what a process says about itself: text for people, or JSON lines on standard error as the log is. */
export type Announcer = {
  /** @param details fields of the JSON line; `msg` replaces a text that is laid out for people */
  say: (text: string, details?: Record<string, unknown>) => void;
  fail: (error: unknown) => void;
};

/** @param stream where text for people goes */
export function announcerFor(overrides: Values, stream: Writable = process.stderr): Announcer {
  if (printsJson(overrides)) return jsonLines(createLog({ logLevel: 'info' }, process.stderr));
  return {
    say: (text) => stream.write(`${text}\n`),
    fail: (error) => process.stderr.write(`${explain(error)}\n`),
  };
}

function jsonLines(log: Logger): Announcer {
  return {
    say: (text, details) => log.info({ msg: text.trim(), ...details }),
    fail: (error) => log.fatal({ err: error }, explain(error)),
  };
}

/** Makes what Node.js itself would print as text, errors that nothing catches and warnings, JSON lines too. */
export function announceFaultsOfNode(overrides: Values): void {
  if (!printsJson(overrides)) return;
  const log = createLog({ logLevel: 'warn' });
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an error that nothing caught ends the process');
    process.exit(1);
  });
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ err: warning }, warning.message));
}
