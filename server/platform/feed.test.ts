import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { emptyDatabase } from '#tests/postgres.ts';
import { startProxy } from '#tests/proxy.ts';
import { ChangeFeed } from './feed.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

const notify = (channel: string, payload: string) =>
  latchkey.system.pool.query('select pg_notify($1, $2)', [channel, payload]);

test('SE-3 a network that silently drops everything is noticed within seconds, and missed changes are caught up', async (t) => {
  const way = await startProxy(new URL(latchkey.databaseUrl));
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

test('SE-3 a feed that cannot hear this process is never trusted: another database, or a pooler that drops LISTEN', async (t) => {
  const elsewhere = await emptyDatabase(latchkey.databaseUrl);
  const feed = new ChangeFeed(elsewhere.url, notify, latchkey.system.log);
  t.after(async () => {
    await feed.stop();
    await elsewhere.drop();
  });
  let replays = 0;
  const replay = async () => {
    replays += 1;
  };
  await feed.subscribe({ replay, onChange: () => undefined });
  await feed.start();
  assert.deepEqual([feed.live, replays], [false, 0]);
});

test('SE-3 a feed that no longer hears this process is down', async (t) => {
  let mute = false;
  const feed = new ChangeFeed(
    latchkey.databaseUrl,
    async (channel, payload) => mute || notify(channel, payload),
    latchkey.system.log,
  );
  t.after(() => feed.stop());
  await feed.start();
  assert.equal(feed.live, true);
  mute = true;
  await eventually(async () => assert.equal(feed.live, false));
  mute = false;
  await eventually(async () => assert.equal(feed.live, true));
});
