// What `npm test` runs: the build of the console, then the tests, with every other check beside them. All of them run, even if
// one fails. The last line is "N passed, N failed".
// Plain JavaScript, so that an old Node can still say what is wrong.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { noteFailure } from './failures.mjs';

const NEEDED = [24, 12];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  console.error(
    `The tests need Node.js ${NEEDED.join('.')} or newer; this is ${process.versions.node}.\n` +
      'npm installs the right one with the project: run them with "npm test". If that is what you did, npm has blocked the install\n' +
      'script of the package "node" (npm 12 does, unless "allowScripts" in package.json names it): run "npm ci" again.',
  );
  console.log('0 passed, 1 failed');
  process.exit(1);
}

/** First, because the type check reads the clients that these make, the tests run that of the API, and the browser tests open the console. */
const BUILDS = [
  { name: 'client of the API', command: ['node', 'sdk/api/generate.mjs'] },
  { name: 'build of the console', command: ['npm', 'run', 'build', '-w', 'console'] },
  { name: 'build of the documentation', command: ['npm', 'run', 'build', '-w', 'site'] },
];
const TESTS = { name: 'tests', command: ['node', 'server/tests/run.ts'] };
/**
 * They use the time that tests spend waiting, and are shown when they are over. Several checkers of types would check
 * many of them again each: twice the processor time.
 */
const CHECKS = [
  { name: 'type check', command: ['tsc', '--noEmit', '--checkers', '1'] },
  { name: 'type check of the console', command: ['tsc', '--noEmit', '--checkers', '1', '-p', 'console'] },
  { name: 'type check of the SDK for browsers', command: ['tsc', '--noEmit', '--checkers', '1', '-p', 'sdk/react'] },
  { name: 'type check of the documentation', command: ['tsc', '--noEmit', '--checkers', '1', '-p', 'site'] },
  { name: 'lint', command: ['biome', 'ci', '--error-on-warnings', '.'] },
  { name: 'dead code', command: ['knip', '--no-progress'] },
  { name: 'tests of the console', command: ['vitest', 'run', '--root', 'console'] },
];
/** The end of a check's output says why it failed. */
const MAX_ERROR_LINES = 25;
/** A stage that hangs is ended; the database stops by itself when its tests are killed. */
const STAGE_LIMIT_MS = 1_800_000;

process.chdir(resolve(import.meta.dirname, '..'));
const folder = mkdtempSync(join(tmpdir(), 'latchkey-ci-'));
const summaryFile = join(folder, 'summary.json');

/** @returns whether the stage passed */
function run({ name, command: [program, ...args] }, stdio) {
  const began = performance.now();
  if (stdio === 'inherit') console.log(`\n▶ ${name}`);
  const stage = spawn(program, args, {
    stdio: ['ignore', stdio, stdio],
    timeout: STAGE_LIMIT_MS,
    shell: process.platform === 'win32',
    env: {
      ...process.env,
      PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env.PATH}`,
      LATCHKEY_TEST_SUMMARY: summaryFile,
    },
  });
  const output = [];
  stage.stdout?.on('data', (chunk) => output.push(chunk));
  stage.stderr?.on('data', (chunk) => output.push(chunk));
  stage.once('error', (error) => output.push(Buffer.from(`${program}: ${error.message}\n`)));
  return new Promise((done) => {
    stage.once('close', (status) => {
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const text = Buffer.concat(output).toString();
      console.log(`${text}${status === 0 ? '✔' : '✖'} ${name} (${seconds} s)`);
      // The tests note their own failures.
      if (status !== 0 && stdio === 'pipe')
        noteFailure(name, text.trim().split('\n').slice(-MAX_ERROR_LINES).join('\n'));
      done({ name, ok: status === 0 });
    });
  });
}

async function runChecks() {
  const results = [];
  // biome-ignore lint/performance/noAwaitInLoops: one check at a time, beside the tests
  for (const check of CHECKS) results.push(await run(check, 'pipe'));
  return results;
}

/** @returns how many tests passed and failed */
function testCounts() {
  try {
    return JSON.parse(readFileSync(summaryFile, 'utf8'));
  } catch {
    console.error('The tests ended without their counts.');
    noteFailure('The tests ended without their counts.');
    return { passed: 0, failed: 0 };
  }
}

// Each check is one item; the tests are one each besides, so a run that ends early still counts as a failure.
const builds = await Promise.all(BUILDS.map((build) => run(build, 'pipe')));
const [ran, checks] = await Promise.all([run(TESTS, 'inherit'), runChecks()]);
const results = [...builds, ran, ...checks];
const tests = testCounts();
rmSync(folder, { recursive: true, force: true });

const failedStages = results.filter(({ ok }) => !ok);
const passed = results.length - failedStages.length + tests.passed;
const failed = failedStages.length + tests.failed;
console.log(failedStages.length === 0 ? '' : `\nFailed: ${failedStages.map(({ name }) => name).join(', ')}`);
console.log(`${passed} passed, ${failed} failed`);
// Not by itself: the limit of a program that was not found still waits.
process.exit(failed === 0 ? 0 : 1);
