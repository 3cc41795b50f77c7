import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startTestLatchkey } from '#tests/harness.ts';

const COMMITTED = resolve(import.meta.dirname, '../../console/src/api/schema.ts');

test('the typed client of the console is made from the description of the console API; UPDATE_CLIENT=1 makes it anew', async () => {
  const latchkey = await startTestLatchkey();
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-client-'));
  const [description, made] = [join(folder, 'openapi.json'), join(folder, 'schema.ts')];
  await writeFile(description, (await latchkey.console('/console/v1/openapi.json')).text);
  await latchkey.stop();
  const command = ['run', 'client', '--silent', '--workspace', 'console', '--', description, '-o', made];
  await promisify(execFile)('npm', command, { shell: process.platform === 'win32' });
  if (process.env['UPDATE_CLIENT']) await copyFile(made, COMMITTED);
  const [fresh, committed] = await Promise.all([readFile(made, 'utf8'), readFile(COMMITTED, 'utf8')]);
  await rm(folder, { recursive: true });
  assert.ok(
    fresh === committed,
    'run: UPDATE_CLIENT=1 npx node server/tests/run.ts server/tests/console-client.test.ts',
  );
});
