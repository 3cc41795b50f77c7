import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startTestLatchkey } from '#tests/harness.ts';
import { newDirectory } from '#tests/scim.ts';
import { CACHE, missingFor } from './fetched.ts';

const folder = join(import.meta.dirname, 'scim2-tester');
const environment = join(CACHE, 'scim2-tester');
const python = join(environment, 'bin/python');
const requirements = join(folder, 'requirements.txt');
const missing = await missingFor([
  { missing: 'Python 3 with venv is not installed', command: ['python3', '-m', 'venv', environment] },
  {
    missing: 'pip cannot fetch scim2-tester',
    command: [python, '-m', 'pip', 'install', '--quiet', '--requirement', requirements],
  },
]);

type Result = { check: string; status: string; reason: string };

test('scim2-tester finds no fault in the SCIM service', { skip: missing ?? false }, async () => {
  const latchkey = await startTestLatchkey();
  try {
    const { token } = await newDirectory(latchkey);
    const address = `${latchkey.system.config.addresses.test.api}/scim/v2`;
    const { stdout } = await promisify(execFile)(python, [join(folder, 'program.py'), address, token]);
    const results: Result[] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.ok(results.filter(({ status }) => status === 'SUCCESS').length > 50, stdout);
    assert.deepEqual(
      results.filter(({ status }) => status === 'ERROR' || status === 'CRITICAL'),
      [],
    );
  } finally {
    await latchkey.stop();
  }
});
