import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { ChangeFeed } from './feed.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

/** A TCP proxy in front of the database that can drop all traffic silently. */
async function startProxy(url: URL) {
  const sockets = new Set<Socket>();
  let swallows = false;
  const server = createServer((near) => {
    const far = connect(Number(url.port), url.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => swallows || to.write(data));
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  const through = new URL(url);
  through.port = String(address.port);
  return {
    url: through.href,
    swallow: (whether: boolean) => {
      swallows = whether;
    },
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test('SE-3 a network that silently drops everything is noticed within seconds, and missed changes are caught up', async (t) => {
  const way = await startProxy(new URL(latchkey.databaseUrl));
  const notify = (channel: string, payload: string) =>
    latchkey.system.pool.query('select pg_notify($1, $2)', [channel, payload]);
  const feed = new ChangeFeed(way.url, notify, latchkey.system.log);
  t.after(async () => {
    way.stop();
    await feed.stop();
  });
  let replays = 0;
  const replay = async () => {
    replays += 1;
  };
  await feed.subscribe({ replay, onChange: () => undefined });
  await feed.start();
  assert.deepEqual([feed.live, replays], [true, 1]);
  way.swallow(true);
  await eventually(async () => assert.equal(feed.live, false));
  way.swallow(false);
  await eventually(async () => assert.equal(feed.live, true));
  assert.equal(replays, 2);
});
