import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, matchesGlob, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LEFT_OUT } from './citus/left-out.ts';
import { prepareCitus, preparePostgres } from './postgres.ts';
import type { FileResult } from './run-files.ts';
import { faultsOf, followLog, statementsIn } from './unrouted.ts';
import { startWorker, type Worker } from './worker.ts';

/**
 * Runs test files against one temporary PostgreSQL, or (`--citus FOLDER`) against a Citus cluster. A few processes run one file after the other, because loading
 * Latchkey takes longer than most files do. `npx node server/tests/run.ts [--only PATTERN] [--citus FOLDER] [FILE…]`. Without files it runs
 * all but those that the other test scripts of package.json name; on a cluster, all but those of `citus/left-out.ts`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, citus: { type: 'string' } },
});
const server = resolve(import.meta.dirname, '..');
const root = resolve(server, '..');

/** A file that takes longer than this hangs. */
const FILE_LIMIT_MS = 1_200_000;
/** Files leave memory behind in their process, so a new process takes over after this many. */
const FILES_PER_PROCESS = 30;
/** What the other test scripts run, because it takes long or needs other toolchains. */
const OTHER_SCRIPTS = Object.entries<string>(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts)
  .filter(([name]) => name.startsWith('test:'))
  .flatMap(([, command]) => command.split(' ').filter((word) => word.endsWith('.test.ts')));
/** They start first, so that no process works alone on one of them at the end. */
const SLOWEST = [
  'server/tests/console-role-screens.test.ts',
  'server/tests/console-isolation.test.ts',
  'server/tests/console-screens.test.ts',
  'server/cli/serve.test.ts',
  'server/tests/console-records.test.ts',
  'server/status/console.test.ts',
  'server/account/pages.test.ts',
  'packaging/sdks.test.ts',
  'sdk/react/tests/account-panel.test.ts',
  'server/tests/attacks/admission-entrances.test.ts',
  'server/status/monitor.test.ts',
  'server/log-streams/delivery.test.ts',
  'server/tests/console-imports.test.ts',
  'server/messages/carriers.test.ts',
  'server/imports/imports.test.ts',
  'server/webhooks/deliveries.test.ts',
  'server/webhooks/schedule.test.ts',
  'server/webhooks/endpoints.test.ts',
];

async function allFiles(): Promise<string[]> {
  const found = glob('{server,sdk,site}/**/*.test.ts', { cwd: root, exclude: (path) => path.includes('node_modules') });
  const leftOut = values.citus === undefined ? OTHER_SCRIPTS : LEFT_OUT.map(({ files }) => files);
  return (await Array.fromAsync(found))
    .filter((path) => !leftOut.some((pattern) => matchesGlob(path, pattern)))
    .map((path) => resolve(root, path));
}

/** It stops a server that all tests share, so it runs after all others. */
const ALONE = /tests\/citus\/killed/;

const files = positionals.length > 0 ? positionals.map((file) => resolve(file)) : await allFiles();
const isSlow = (file: string) => SLOWEST.includes(relative(root, file));
const [alone = [], together = []] = [true, false].map((isAlone) =>
  files.filter((file) => ALONE.test(file) === isAlone),
);
const waiting = together.toSorted((a, b) => Number(isSlow(b)) - Number(isSlow(a)) || (a < b ? -1 : 1));
const tell = (line: string) => process.stdout.write(`${line}\n`);
const postgres =
  values.citus === undefined
    ? { ...(await preparePostgres(tell)), ports: null }
    : { ...(await prepareCitus(values.citus, tell)), stop: async () => undefined };
if (values.citus !== undefined && positionals.length === 0)
  for (const { files: pattern, because } of LEFT_OUT) tell(`⏭ ${pattern}: left out, because they ${because}`);
const log = values.citus === undefined ? null : await followLog(join(values.citus, 'coordinator.log'));
const began = performance.now();

const workers = new Set<Worker>();

/** Ctrl-C stops the tests; the database is then removed as after any run. */
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    waiting.length = 0;
    alone.length = 0;
    await Promise.all([...workers].map((worker) => worker.stop()));
  });

const counts = { passed: 0, failed: 0, skipped: 0 };
const timings: { file: string; seconds: number }[] = [];
const faults: string[] = [];

function nextWorker(): Worker {
  const cache = resolve(root, 'node_modules/.cache/latchkey-tests');
  const env = {
    LATCHKEY_TEST_DATABASE_URL: postgres.url,
    NODE_COMPILE_CACHE: cache,
    ...(postgres.ports && { CITUS_TEST_PORTS: postgres.ports.join(',') }),
    ...(values.citus !== undefined && { CITUS_TEST_FOLDER: resolve(values.citus) }),
  };
  const worker = startWorker(env, FILE_LIMIT_MS);
  workers.add(worker);
  return worker;
}

/** Takes files until none are left. */
async function work(): Promise<void> {
  while (waiting.length > 0) {
    const worker = nextWorker();
    for (let count = 0; count < FILES_PER_PROCESS && worker.isRunning(); count += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one file after the other
      await runNext(worker);
    }
    workers.delete(worker);
    const fault = worker.isRunning() ? await worker.stop() : '';
    if (fault !== '') note('the end of a worker', { passed: 0, failed: 1, skipped: 0, report: '', faults: fault });
  }
}

async function runNext(worker: Worker): Promise<void> {
  const file = waiting.shift();
  if (file === undefined) return;
  const start = performance.now();
  const result = await worker.run(file, values.only);
  const name = relative(root, file);
  timings.push({ file: name, seconds: (performance.now() - start) / 1_000 });
  note(name, result);
}

function note(name: string, { passed, failed, skipped, report, faults: found }: FileResult): void {
  counts.passed += passed;
  counts.failed += failed;
  counts.skipped += skipped;
  process.stdout.write(`\n${name}\n${report}`);
  if (failed === 0) return;
  faults.push(`${name}\n${found}`);
  const log = process.env['CI_FAILURES'];
  if (log !== undefined) appendFileSync(log, failuresOf(name, found).join(''));
}

/** Each failure of a file in the form that `.ci/print-failures.mjs` reads: a line that names it, then the error, indented. */
function failuresOf(name: string, found: string): string[] {
  return found
    .trim()
    .split(/^(?=test at )/m)
    .map((text) => (text.startsWith('test at ') ? text.replace(/^test at (.*)\n✖ /, '$1 ') : `${name}\n${text}`))
    .map((text) => text.replace(/\n.*'test did not finish before its parent and was cancelled'/, ': cancelled'))
    .map((text) => `✖ ${text.trim().replaceAll('\n', '\n  ')}\n`);
}

// Two more than there are cores: many tests wait most of their time.
await Promise.all(Array.from({ length: Math.min(availableParallelism() + 2, files.length) }, work));
waiting.push(...alone);
await work();
await postgres.stop();
if (log !== null) {
  const found = faultsOf(statementsIn(await log.read()));
  await log.close();
  note('the statements that ask several servers', {
    passed: found.length === 0 ? 1 : 0,
    failed: found.length,
    skipped: 0,
    report: '',
    faults: found.join('\n'),
  });
}
if (faults.length > 0) process.stdout.write(`\n✖ failing tests:\n\n${faults.join('\n')}`);
const slowest = timings.toSorted((a, b) => b.seconds - a.seconds);
const seconds = ((performance.now() - began) / 1_000).toFixed(0);
process.stdout.write(`\n${timings.length} files in ${seconds} s; the slowest:\n`);
for (const { file, seconds } of slowest.slice(0, 10)) process.stdout.write(`  ${seconds.toFixed(1)} s ${file}\n`);
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
const summaryFile = process.env['LATCHKEY_TEST_SUMMARY'];
if (summaryFile !== undefined) writeFileSync(summaryFile, JSON.stringify(counts));
process.exitCode = counts.failed > 0 || counts.passed + counts.skipped === 0 ? 1 : 0;
