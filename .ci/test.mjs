// What `npm test` runs: every check, one after the other, all of them even if one fails. Its last line is "N passed, N failed".
// Plain JavaScript, so that an old Node can still say what is wrong.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

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

const STAGES = [
  // First, because the type check reads the client that this makes, and the browser tests open the console.
  { name: 'build of the console', command: ['npm', 'run', 'build', '-w', 'console'] },
  { name: 'type check', command: ['tsc', '--noEmit'] },
  { name: 'type check of the console', command: ['tsc', '--noEmit', '-p', 'console'] },
  { name: 'lint', command: ['biome', 'ci', '--error-on-warnings', '.'] },
  { name: 'dead code', command: ['knip', '--no-progress'] },
  { name: 'tests of the console', command: ['vitest', 'run', '--root', 'console'] },
  { name: 'tests', command: ['node', 'server/tests/run.ts'] },
];
/** A stage that hangs is ended; the database stops by itself when its tests are killed. */
const STAGE_LIMIT_MS = 1_800_000;

process.chdir(resolve(import.meta.dirname, '..'));
const folder = mkdtempSync(join(tmpdir(), 'latchkey-ci-'));
const summaryFile = join(folder, 'summary.json');

/** @returns whether the stage passed */
function run({ name, command: [program, ...args] }) {
  console.log(`\n▶ ${name}`);
  const began = performance.now();
  const { status, error } = spawnSync(program, args, {
    stdio: 'inherit',
    timeout: STAGE_LIMIT_MS,
    shell: process.platform === 'win32',
    env: {
      ...process.env,
      PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env.PATH}`,
      LATCHKEY_TEST_SUMMARY: summaryFile,
    },
  });
  if (error) console.error(`${program}: ${error.message}`);
  console.log(`${status === 0 ? '✔' : '✖'} ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  return status === 0;
}

/** @returns how many tests passed and failed */
function testCounts() {
  try {
    return JSON.parse(readFileSync(summaryFile, 'utf8'));
  } catch {
    console.error('The tests ended without their counts.');
    return { passed: 0, failed: 0 };
  }
}

// Each check is one item; the tests are one each besides, so a run that ends early still counts as a failure.
const results = STAGES.map((stage) => ({ name: stage.name, ok: run(stage) }));
const tests = testCounts();
rmSync(folder, { recursive: true, force: true });

const failedStages = results.filter(({ ok }) => !ok);
const passed = results.length - failedStages.length + tests.passed;
const failed = failedStages.length + tests.failed;
console.log(failedStages.length === 0 ? '' : `\nFailed: ${failedStages.map(({ name }) => name).join(', ')}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
