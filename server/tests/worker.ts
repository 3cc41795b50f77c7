import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { FileResult } from './run-files.ts';

/** How many characters of a worker's standard error are kept for the report of its end. */
const MAX_ERRORS = 8_000;

/** A process that runs test files, one after another. */
export type Worker = {
  /** Runs a file. A worker that exits, or takes longer than the limit, has failed it. */
  run: (file: string, only: string | undefined) => Promise<FileResult>;
  isRunning: () => boolean;
  /**
   * Ends the worker.
   * @returns what went wrong after its last file; empty if nothing did
   */
  stop: () => Promise<string>;
};

/** @param limitMs a file that takes longer hangs */
export function startWorker(env: Record<string, string>, limitMs: number): Worker {
  const child = fork(resolve(import.meta.dirname, 'run-files.ts'), {
    serialization: 'advanced',
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
    env: { ...process.env, ...env },
  });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    process.stderr.write(chunk);
    errors = `${errors}${chunk}`.slice(-MAX_ERRORS);
  });
  const ended = once(child, 'exit').then(async ([code, signal]) => {
    // Processes that it started may hold its standard error open.
    await Promise.race([child.stderr && once(child.stderr, 'close'), setTimeout(1_000)]);
    return {
      ok: code === 0,
      about: `its process ended with ${code === null ? `signal ${signal}` : `code ${code}`}\n${errors}\n`,
    };
  });
  return {
    run: async (file, only) => {
      const limit = globalThis.setTimeout(() => {
        errors += `It took more than ${limitMs / 60_000} minutes.`;
        child.kill('SIGKILL');
      }, limitMs);
      // The end of a worker is the response to what cannot be sent to it.
      child.send({ file, only }, () => undefined);
      const result = await Promise.race([responseOf(child), ended.then(({ about }) => failed(about))]);
      clearTimeout(limit);
      return result;
    },
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      if (child.connected) child.disconnect();
      const { ok, about } = await ended;
      return ok ? '' : about;
    },
  };
}

async function responseOf(child: ChildProcess): Promise<FileResult> {
  const [result]: FileResult[] = await once(child, 'message');
  return result ?? failed('the worker sent nothing\n');
}

function failed(faults: string): FileResult {
  return { passed: 0, failed: 1, skipped: 0, report: '', faults };
}
