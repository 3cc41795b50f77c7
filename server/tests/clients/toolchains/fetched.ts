import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

/** The folder in which packages of other languages are kept between runs. */
export const CACHE = resolve(import.meta.dirname, '../../../../node_modules/.cache/latchkey-clients');

/** A command that must succeed before a client can be tested, and what is missing if it fails. */
export type Step = { missing: string; command: string[]; env?: Record<string, string>; cwd?: string };

/**
 * Runs the steps.
 * @returns what is missing, or null
 */
export async function missingFor(steps: Step[]): Promise<string | null> {
  await mkdir(CACHE, { recursive: true });
  for (const { missing, command, env, cwd } of steps) {
    const [program = '', ...args] = command;
    const options = { env: { ...process.env, ...env }, cwd: cwd ?? import.meta.dirname, maxBuffer: 100_000_000 };
    // biome-ignore lint/performance/noAwaitInLoops: each step needs the one before
    const done = await promisify(execFile)(program, args, options).then(
      () => true,
      () => false,
    );
    if (!done) return missing;
  }
  return null;
}
