import asyncHooks, { type HookCallbacks } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { spec } from 'node:test/reporters';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

/**
 * The test runner follows every promise, to know to which test it belongs. That takes a fifth of a run's time and keeps
 * memory, so it follows only timers, sockets and the like; an unhandled rejection fails the file.
 */
const { createHook } = asyncHooks;
Object.assign(asyncHooks, {
  createHook: (callbacks: HookCallbacks) => createHook({ ...callbacks, trackPromises: false }),
});
const { run } = await import('node:test');

/** One process of a test run: it runs the files it receives, one after another. */

/** The result of a file. `report` says how each test went, `faults` why some failed. */
export type FileResult = { passed: number; failed: number; skipped: number; report: string; faults: string };

/** Longer than any test takes on a busy machine. */
const TEST_LIMIT_MS = 600_000;
const FAULTS = '✖ failing tests:';
/** Removes the counts of each file; the whole run prints them once. */
const COUNTS = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) .*\n/gm;

/** Errors that no test caught: of the current file, or of an earlier one whose work continued. */
const strays: string[] = [];
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => strays.push(`${event}: ${inspect(error)}\n`));

let endRoot: (() => void) | null = null;
subscribe('tracing:node.test:end', (message) => {
  if (Object(message).name === '<root>') endRoot?.();
});

process.on('message', async ({ file, only }: { file: string; only?: string }) => {
  process.send?.(await runFile(file, only));
});
process.on('disconnect', async () => {
  await setImmediate();
  process.stderr.write(strays.join('\n'));
  process.exit(strays.length > 0 ? 1 : 0);
});

async function runFile(file: string, only: string | undefined): Promise<FileResult> {
  const ended = new Promise<void>((resolve) => {
    endRoot = resolve;
  });
  const tests = run({
    files: [file],
    isolation: 'none',
    timeout: TEST_LIMIT_MS,
    ...(only !== undefined && { testNamePatterns: [only] }),
  });
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let sound = true;
  // A suite or file whose `after` fails has no failed test, but has failed.
  tests.on('test:fail', () => {
    sound = false;
  });
  tests.on('test:summary', ({ counts: { tests: all, passed, skipped, todo } }) => {
    counts.passed = passed;
    counts.skipped = skipped;
    counts.failed = all - passed - skipped - todo;
  });
  const output = Array.fromAsync(tests.compose(spec));
  await ended;
  await setImmediate();
  // A file has ended when its own process would have nothing left to do.
  process.emit('beforeExit', 0);
  const [report = '', faults = ''] = (await output).join('').replaceAll(COUNTS, '').split(FAULTS);
  const outside = [await importFault(file), ...strays.splice(0)].join('\n');
  return {
    passed: counts.passed,
    skipped: counts.skipped,
    failed: Math.max(counts.failed, sound && outside === '' ? 0 : 1),
    report,
    faults: faults + outside,
  };
}

/**
 * The runner does not report a file that throws after declaring tests. Importing a failed module again throws again.
 */
async function importFault(file: string): Promise<string> {
  try {
    await import(pathToFileURL(file).href);
    return '';
  } catch (error) {
    return `\n${inspect(error)}\n`;
  }
}
