import { type ChildProcess, fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { preparePostgres } from './postgres.ts';
import type { FileResult } from './run-files.ts';

/**
 * Runs test files against one temporary PostgreSQL. A few processes run one file after the other, because loading
 * Latchkey takes longer than most files do. `npx node server/tests/run.ts [--only PATTERN] [FILE…]`. Without files it runs
 * all but the clients of other languages, which `npm run test:clients` names.
 */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const server = resolve(import.meta.dirname, '..');
const root = resolve(server, '..');

/** A file that takes longer than this hangs. */
const FILE_LIMIT_MS = 600_000;
/** Files leave memory behind in their process, so a new process takes over after this many. */
const FILES_PER_PROCESS = 30;
/** They start first, so that no process works alone on one of them at the end. */
const SLOWEST = [
  'server/tests/console-screens.test.ts',
  'server/cli/serve.test.ts',
  'server/tests/console-records.test.ts',
  'server/sign-in/enumeration.test.ts',
  'server/account/pages.test.ts',
  'server/tests/faults.test.ts',
  'server/cli/members.test.ts',
  'server/cli/backup.test.ts',
  'server/status/monitor.test.ts',
  'server/tests/console-roles.test.ts',
];

const files =
  positionals.length > 0
    ? positionals.map((file) => resolve(file))
    : await Array.fromAsync(
        glob('{server,sdk}/**/*.test.ts', {
          cwd: root,
          exclude: (path) => /node_modules|clients\/toolchains/.test(path),
        }),
        (file) => resolve(root, file),
      );
const isSlow = (file: string) => SLOWEST.includes(relative(root, file));
const waiting = files.toSorted((a, b) => Number(isSlow(b)) - Number(isSlow(a)) || (a < b ? -1 : 1));
const postgres = await preparePostgres((line) => process.stdout.write(`${line}\n`));
const began = performance.now();

/** Ctrl-C stops the tests; the database is then removed as after any run. */
const workers = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    waiting.length = 0;
    for (const worker of workers) worker.disconnect();
  });

const counts = { passed: 0, failed: 0, skipped: 0 };
const timings: { file: string; seconds: number }[] = [];
const faults: string[] = [];

function startWorker(): ChildProcess {
  const worker = fork(resolve(import.meta.dirname, 'run-files.ts'), {
    serialization: 'advanced',
    env: {
      ...process.env,
      LATCHKEY_TEST_DATABASE_URL: postgres.url,
      NODE_COMPILE_CACHE: resolve(root, 'node_modules/.cache/latchkey-tests'),
    },
  });
  workers.add(worker);
  worker.once('exit', () => workers.delete(worker));
  return worker;
}

/**
 * Runs a file in a worker.
 * @returns null if the worker exited
 */
function runIn(worker: ChildProcess, file: string): Promise<FileResult | null> {
  return new Promise((done) => {
    const limit = setTimeout(() => worker.kill('SIGKILL'), FILE_LIMIT_MS);
    const finish = (result: FileResult | null) => {
      clearTimeout(limit);
      worker.removeAllListeners('message').removeListener('exit', fail);
      done(result);
    };
    const fail = () => finish(null);
    worker.once('message', (result: FileResult) => finish(result));
    worker.once('exit', fail);
    worker.send({ file, only: values.only });
  });
}

/** Takes files until none are left. */
async function work(): Promise<void> {
  let worker = startWorker();
  let count = 0;
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    const name = relative(root, file);
    count += 1;
    if (count % FILES_PER_PROCESS === 0) {
      worker.disconnect();
      worker = startWorker();
    }
    const start = performance.now();
    // biome-ignore lint/performance/noAwaitInLoops: one file after the other
    const result = await runIn(worker, file);
    timings.push({ file: name, seconds: (performance.now() - start) / 1_000 });
    counts.passed += result?.passed ?? 0;
    counts.failed += result?.failed ?? 1;
    counts.skipped += result?.skipped ?? 0;
    process.stdout.write(`\n${name}\n${result?.report ?? ''}`);
    if (result === null) {
      faults.push(`${name}: its process ended, or it took more than ${FILE_LIMIT_MS / 60_000} minutes\n`);
      worker = startWorker();
    } else if (result.failed > 0) faults.push(`${name}\n${result.faults}`);
  }
  worker.disconnect();
}

// One more than there are cores: some tests wait most of their time.
await Promise.all(Array.from({ length: Math.min(availableParallelism() + 1, files.length) }, work));
await postgres.stop();
if (faults.length > 0) process.stdout.write(`\n✖ failing tests:\n\n${faults.join('\n')}`);
const slowest = timings.toSorted((a, b) => b.seconds - a.seconds);
const seconds = ((performance.now() - began) / 1_000).toFixed(0);
process.stdout.write(`\n${timings.length} files in ${seconds} s; the slowest:\n`);
for (const { file, seconds } of slowest.slice(0, 10)) process.stdout.write(`  ${seconds.toFixed(1)} s ${file}\n`);
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
const summaryFile = process.env['LATCHKEY_TEST_SUMMARY'];
if (summaryFile !== undefined) writeFileSync(summaryFile, JSON.stringify(counts));
process.exitCode = counts.failed > 0 || counts.passed + counts.skipped === 0 ? 1 : 0;
