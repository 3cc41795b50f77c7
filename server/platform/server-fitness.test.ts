import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { eventually } from '#tests/harness.ts';
import { pgbouncerVersion, startPgbouncer } from '#tests/pgbouncer.ts';
import { emptyDatabase } from '#tests/postgres.ts';
import { connectAlone } from './connections.ts';
import { ChangeFeed } from './feed.ts';
import { migrate } from './migrate.ts';
import {
  faultOfConnections,
  isDirect,
  readConnections,
  requirePreparedStatements,
  requireSession,
} from './server-fitness.ts';
import { StartError } from './start-error.ts';

const name = 'test';
const version = pgbouncerVersion();

let database: { url: string; drop: () => Promise<void> };
before(async () => {
  database = await emptyDatabase(process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '');
});
after(() => database.drop());

test('the connections of a process fit what server, user and database allow', async () => {
  const client = await connectAlone(database.url, { name });
  const other = await connectAlone(database.url, { name });
  const found = await readConnections(client);
  await other.end();
  assert.ok(found.allowed > 300 && found.used > 0, JSON.stringify(found));
  await client.query(`alter database ${new URL(database.url).pathname.slice(1)} connection limit 5`);
  assert.equal((await readConnections(client)).allowed, 5);
  assert.equal(faultOfConnections(14, { allowed: 97, used: 83 }), null);
  assert.match(faultOfConnections(14, { allowed: 97, used: 84 }) ?? '', /LATCHKEY_DATABASE_POOL/);
  await client.query(`alter database ${new URL(database.url).pathname.slice(1)} connection limit -1`);
  assert.ok(await isDirect(client));
  await client.end();
});

describe('behind PgBouncer', { skip: version === null && 'PgBouncer is not installed' }, () => {
  test('in transaction mode, nothing starts and the feed is never trusted', async (t) => {
    const pooler = await startPgbouncer(database.url, 'transaction');
    t.after(pooler.stop);
    await assert.rejects(
      migrate(pooler.url, () => undefined),
      (error) => error instanceof StartError && /transaction mode.*DATABASE_DIRECT_URL[^\n]*$/.test(error.message),
    );
    const sender = await connectAlone(pooler.url, { name });
    const notify = (channel: string, payload: string) => sender.query('select pg_notify($1, $2)', [channel, payload]);
    const feed = new ChangeFeed(pooler.url, notify, { log: pino({ level: 'silent' }), instance: 'test' });
    await feed.start();
    assert.equal(feed.live, false);
    await feed.stop();
    const direct = new ChangeFeed(database.url, notify, { log: pino({ level: 'silent' }), instance: 'test' });
    await direct.start();
    // Past the pooler, it hears what is announced through it.
    await eventually(async () => assert.equal(direct.live, true));
    await direct.stop();
    await sender.end();
    const prepared = requirePreparedStatements(pooler.url);
    if (Number(version) < 1.21) await assert.rejects(prepared, /max_prepared_statements/);
    else await prepared;
  });

  test('in session mode, everything works', async (t) => {
    const pooler = await startPgbouncer(database.url, 'session');
    t.after(pooler.stop);
    const client = await connectAlone(pooler.url, { name });
    assert.equal(await isDirect(client), false);
    await requireSession(client, pooler.url);
    await requirePreparedStatements(pooler.url);
    await client.end();
  });
});
