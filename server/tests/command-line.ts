import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

const ENTRY = resolve(import.meta.dirname, '../latchkey.mjs');

export type Ran = { status: number; output: string; errors: string };

/** Runs a command to its end with exactly these settings. */
export function runLatchkey(args: string[], settings: Record<string, string>): Promise<Ran> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    ...settings,
  };
  return new Promise((done) => {
    execFile(process.execPath, [ENTRY, ...args], { env, maxBuffer: 50_000_000 }, (error, output, errors) =>
      done({ status: error === null ? 0 : Number(error.code ?? -1), output, errors }),
    );
  });
}
