import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

const ENTRY = fileURLToPath(new URL('../latchkey.mjs', import.meta.url));

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ own: 'the command uses the demo of the data directory' });
});
after(() => latchkey.stop());

async function quickstart(dataDir: string): Promise<{ code: unknown; output: string }> {
  const child = spawn(process.execPath, [ENTRY, 'quickstart'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      LATCHKEY_DATA_DIR: dataDir,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = await once(child, 'exit');
  return { code, output };
}

test('the quickstart completes and shows requests and responses, but no whole token', async () => {
  const { code, output } = await quickstart(latchkey.system.config.dataDir);
  assert.equal(code, 0, output);
  for (const part of [
    '/v1/auth/register',
    '/v1/auth/login/password',
    '/v1/me/context',
    '/v1/sessions/switch-context',
    '/v1/sessions/refresh',
    '/connect/token',
    '/v1/admin/members',
    '/sessions/revoke',
    'SESSION_REVOKED',
    '/api/status/summary',
    'That is everything.',
  ])
    assert.ok(output.includes(part), part);
  assert.ok(!/ey[A-Za-z0-9_-]{60}/.test(output));
});

test('without a running demo it prints the remedy', async () => {
  const { code, output } = await quickstart('/nowhere/at/all');
  assert.equal(code, 1);
  assert.match(output, /Start Latchkey first/);
});
