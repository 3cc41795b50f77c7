import { writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { preparePostgres } from './postgres.ts';

/**
 * Runs test files in parallel, each in a process of its own, against one throw-away PostgreSQL.
 * `npx node server/tests/run.ts [--only PATTERN] [FILE…]`
 */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const server = resolve(import.meta.dirname, '..');
const root = resolve(server, '..');

const files =
  positionals.length > 0
    ? positionals.map((file) => resolve(file))
    : await Array.fromAsync(
        glob('{server,sdk}/**/*.test.ts', { cwd: root, exclude: (path) => path.includes('node_modules') }),
        (file) => resolve(root, file),
      );
const postgres = await preparePostgres((line) => process.stdout.write(`${line}\n`));
process.env['LATCHKEY_TEST_DATABASE_URL'] = postgres.url;
process.env['NODE_COMPILE_CACHE'] = resolve(server, '../node_modules/.cache/latchkey-tests');

/** Ctrl-C ends the tests; then the database goes as after any run. */
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());

const counts = { passed: 0, failed: 0 };
const stream = run({
  files: files.sort(),
  concurrency: availableParallelism(),
  timeout: 120_000,
  forceExit: true,
  signal: interrupted.signal,
  ...(values.only !== undefined && { testNamePatterns: [values.only] }),
});
stream.on('test:summary', (summary) => {
  if (summary.file !== undefined) return;
  const { tests, passed, skipped, todo } = summary.counts;
  counts.passed = passed;
  // A suite whose `after` fails has no failed test, but it has failed.
  counts.failed = Math.max(tests - passed - skipped - todo, summary.success ? 0 : 1);
});
stream.compose(spec).pipe(process.stdout);
await new Promise((done) => {
  stream.on('end', done);
});
await postgres.stop();
const summaryFile = process.env['LATCHKEY_TEST_SUMMARY'];
if (summaryFile !== undefined) writeFileSync(summaryFile, JSON.stringify(counts));
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
