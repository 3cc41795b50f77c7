import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { systemCtx } from './ctx.ts';
import { Limit } from './limits.ts';

/** A Valkey that says what it is on its first connection, and then nothing more, as one that freezes. */
const connections: Socket[] = [];
let commands = 0;
const frozen = createServer((socket) => {
  const isFirst = connections.push(socket.on('error', () => undefined)) === 1;
  socket.on('data', (data) => {
    if (!/\binfo\b/i.test(String(data))) commands += 1;
    else if (isFirst) socket.write('$19\r\nredis_version:8.0.0\r\n');
  });
});
let latchkey: TestLatchkey;
before(async () => {
  await once(frozen.listen(0, '127.0.0.1'), 'listening');
  const address = frozen.address();
  assert.ok(address && typeof address === 'object');
  latchkey = await startTestLatchkey({ settings: { VALKEY_URL: `valkey://127.0.0.1:${address.port}` } });
});
after(async () => {
  for (const socket of connections) socket.destroy();
  await latchkey.stop();
  frozen.close();
});

test('while Valkey does not respond, PostgreSQL counts the limits', async () => {
  const { system, demo } = latchkey;
  const [project] = demo.projects;
  assert.ok(project);
  const scope = { workspaceId: demo.workspaceId, projectId: project.id, environment: 'test' } as const;
  const limit = new Limit(system, { name: 'test', points: 1, seconds: 3_600 });
  const take = async () => (await limit.take(systemCtx(system, scope, 'test', 'test'), 'key')).allowed;
  assert.deepEqual([await take(), await take()], [true, false]);
  assert.equal(commands, 1);
});
