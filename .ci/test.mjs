// What `npm test` runs: every check, one after the other, all of them even if one fails.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  console.error(`The tests need Node.js 24.12 or newer; this is ${process.versions.node}. Run them with "npm test": npm uses the Node.js of the
package "node". If you did, npm has blocked its install script: see "allowScripts" in package.json, then run "npm ci" again.`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'latchkey-ci-'));
const summaryFile = join(folder, 'summary.json');
const stages = [
  { name: 'type check', command: ['tsc', '--noEmit'] },
  { name: 'lint', command: ['biome', 'ci', '.'] },
  { name: 'dead code', command: ['knip'] },
  { name: 'tests', command: ['node', 'server/tests/run.ts'] },
];

let passed = 0;
let failed = 0;
for (const { name, command } of stages) {
  console.log(`\n▶ ${name}`);
  const began = performance.now();
  const [program, ...args] = command;
  const { status } = spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, LATCHKEY_TEST_SUMMARY: summaryFile } });
  if (status === 0) passed += 1;
  else failed += 1;
  console.log(`${status === 0 ? '✔' : '✖'} ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
}

try {
  const tests = JSON.parse(readFileSync(summaryFile, 'utf8'));
  passed += tests.passed;
  failed += tests.failed;
} catch {
  console.error('The tests did not report their counts.');
  failed += 1;
}
rmSync(folder, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
