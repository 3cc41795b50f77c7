import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { emptyDatabase } from '#tests/postgres.ts';
import { startProxy } from '#tests/proxy.ts';
import { ChangeFeed } from './feed.ts';
import { connectionsOf } from './system.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

const notify = (channel: string, payload: string) =>
  latchkey.system.pool.query('select pg_notify($1, $2)', [channel, payload]);

test('SE-3 a network that silently drops everything is noticed within seconds, and missed changes are caught up', async (t) => {
  const way = await startProxy(new URL(latchkey.databaseUrl));
  const feed = new ChangeFeed(way.url, notify, { log: latchkey.system.log, instance: 'test' });
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
  await eventually(async () => assert.equal(feed.live, true));
  const before = replays;
  assert.ok(before > 0);
  way.swallow(true);
  await eventually(async () => assert.equal(feed.live, false));
  way.swallow(false);
  await eventually(async () => assert.equal(feed.live, true));
  assert.ok(replays > before);
});

test('SE-3 a feed that cannot hear this process is never trusted: another database, or a pooler that drops LISTEN', async (t) => {
  const elsewhere = await emptyDatabase(latchkey.databaseUrl);
  const feed = new ChangeFeed(elsewhere.url, notify, { log: latchkey.system.log, instance: 'test' });
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
  const feed = new ChangeFeed(latchkey.databaseUrl, async (channel, payload) => mute || notify(channel, payload), {
    log: latchkey.system.log,
    instance: 'test',
  });
  t.after(() => feed.stop());
  await feed.start();
  await eventually(async () => assert.equal(feed.live, true));
  mute = true;
  await eventually(async () => assert.equal(feed.live, false));
  mute = false;
  await eventually(async () => assert.equal(feed.live, true));
});

test('SE-3 while requests use every connection, the feed proves itself and the process is ready', async (t) => {
  const busy = await startTestLatchkey({ settings: { LATCHKEY_DATABASE_POOL: '4', LATCHKEY_ROLES: 'auth,api' } });
  const { pool, lookups } = connectionsOf(busy.system);
  const listener = new pg.Client({ connectionString: busy.databaseUrl });
  const free = Promise.withResolvers<void>();
  const taken = [
    ...Array.from({ length: pool.options.max }, async () => (await pool.connect()).release),
    ...Array.from({ length: 3 }, () => lookups.connection().execute(() => free.promise)),
  ];
  t.after(async () => {
    free.resolve();
    for (const release of await Promise.all(taken)) release?.();
    await listener.end();
    await busy.stop();
  });
  await listener.connect();
  await listener.query('listen latchkey_changes');
  const proofs = new Set<string>();
  listener.on('notification', ({ payload = '' }) => payload.startsWith('proof ') && proofs.add(payload));
  await eventually(async () => assert.equal(pool.totalCount - pool.idleCount, 4));
  await eventually(async () => assert.ok(proofs.size > 1));
  // On a busy machine a proof may come too late; the next one makes the feed live again.
  await eventually(async () => {
    assert.equal(busy.system.feed.live, true);
    const { status } = await fetch(`http://127.0.0.1:${busy.system.config.ports.internal}/readyz`);
    assert.equal(status, 200);
  });
});
