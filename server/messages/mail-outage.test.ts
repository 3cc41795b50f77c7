import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { emit } from '#events';
import { eventually, managementToken, newEmail, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Receiver, startReceiver } from '#tests/receiver.ts';
import { sendMessage } from './messages.ts';

/** More than a worker can try while a test waits. */
const MAILS = 100;

/** A mail server that accepts connections and never says anything. */
const connections: Socket[] = [];
const mute = createServer((socket) => connections.push(socket.on('error', () => undefined)));
let latchkey: TestLatchkey;
let receiver: Receiver;
before(async () => {
  await once(mute.listen(0, '127.0.0.1'), 'listening');
  const address = mute.address();
  assert.ok(address && typeof address === 'object');
  receiver = await startReceiver();
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${address.port}` } });
});
after(async () => {
  for (const socket of connections) socket.destroy();
  await latchkey.stop();
  await receiver.stop();
  mute.close();
});

test('EM-1 a mail server that does not respond delays no other work of the worker', async () => {
  const endpoint = await latchkey.api('/v1/admin/webhooks/endpoints', {
    token: await managementToken(latchkey),
    body: { url: `${receiver.origin}/ok`, events: ['user.logout'] },
  });
  assert.equal(endpoint.status, 201, endpoint.text);
  await latchkey.inProject(async (tx) => {
    for (let count = 0; count < MAILS; count += 1)
      // biome-ignore lint/performance/noAwaitInLoops: one connection
      await sendMessage(tx, { template: 'sign_in_code', to: newEmail(), variables: { code: '12345678', minutes: 10 } });
  });
  await eventually(async () => assert.ok(connections.length > 0));
  await latchkey.inProject((tx) => emit(tx, 'user.logout', { userId: 'usr_1', everywhere: false }));
  await eventually(async () => assert.equal(receiver.at('/ok').length, 1));
});
