import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type pg from 'pg';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { emptyDatabase } from '#tests/postgres.ts';
import { startProxy } from '#tests/proxy.ts';
import { advisoryLocks, takeLock } from './advisory-locks.ts';
import { connectAlone, openPool, type TimeLimits } from './connections.ts';
import { type Db, isDatabaseAway, openDb } from './db.ts';
import { measureStatements } from './statements.ts';

const log = pino({ level: 'silent' });
const name = 'test';

let database: { url: string; drop: () => Promise<void> };
let pools: pg.Pool[] = [];
before(async () => {
  database = await emptyDatabase(process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '');
});
after(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});

function open(limits: TimeLimits, url = database.url, size = 2): Db {
  const pool = openPool(url, { size, limits, log, instance: null });
  pools = [...pools, pool];
  return openDb(pool, measureStatements(new Registry(), null));
}

/** The database address with several servers, one at each port. */
function atPorts(...ports: (string | number)[]): string {
  const { host, hostname } = new URL(database.url);
  return database.url.replace(host, ports.map((port) => `${hostname}:${port}`).join(','));
}

const rejectedAs = (code: string) => (error: unknown) =>
  Object(error).code === code && isDatabaseAway(error) ? true : assert.fail(String(error));

describe('time limits', () => {
  test('a statement, the wait for a lock, and an idle transaction are ended, and count as "away"', async () => {
    const slow = open({ statementMs: 300, lockMs: 60_000 });
    await assert.rejects(sql`select pg_sleep(600)`.execute(slow), rejectedAs('57014'));
    const locked = open({ statementMs: 60_000, lockMs: 50 });
    const holder = await connectAlone(database.url, { name });
    await holder.query('create table held ()');
    await holder.query('begin; lock table held');
    await assert.rejects(sql`select from held`.execute(locked), rejectedAs('55P03'));
    await holder.end();
    await sql`select from held`.execute(locked);
    const idle = await slow.startTransaction().execute();
    const client = await connectAlone(database.url, { name });
    // Twice the time of a statement.
    await sql`select pg_advisory_xact_lock(7)`.execute(idle);
    await client.query('select pg_advisory_lock(7)');
    await client.end();
    await assert.rejects(sql`select 1`.execute(idle), isDatabaseAway);
    await idle
      .rollback()
      .execute()
      .catch(() => undefined);
    assert.ok(await sql`select 1`.execute(slow), 'the pool goes on with another connection');
  });

  test('if a server does not respond at all, a statement takes its time limit, and no other statement waits behind it', async (t) => {
    const way = await startProxy(new URL(database.url));
    t.after(way.stop);
    const db = open({ statementMs: 100, lockMs: 100 }, way.url, 1);
    await sql`select 1`.execute(db);
    way.swallow(true);
    const transaction = db.transaction().execute((tx) => sql`select 2`.execute(tx));
    await assert.rejects(transaction, isDatabaseAway);
    way.swallow(false);
    assert.deepEqual((await sql`select 3 as three`.execute(db)).rows, [{ three: 3 }]);
  });

  test('a command that a person waits for has no time limit', async () => {
    const { rows } = await sql<{ value: string }>`
      select current_setting('statement_timeout') || current_setting('lock_timeout') as value`.execute(open(null));
    assert.deepEqual(rows, [{ value: '00' }]);
  });
});

describe('several servers', () => {
  test('the one that responds is used, by the pool and by separate connections', async () => {
    const { port } = new URL(database.url);
    const url = atPorts(1, port);
    const db = open(null, url);
    const all = await Promise.all(Array.from({ length: 6 }, () => sql`select 1`.execute(db)));
    assert.equal(all.length, 6);
    await (await connectAlone(url, { name })).end();
    const none = atPorts(1, 2);
    await assert.rejects(connectAlone(none, { name }), isDatabaseAway);
    await assert.rejects(sql`select 1`.execute(open(null, none)), isDatabaseAway);
  });

  test('one that accepts no writes counts as away, for new and for old connections, and is used again afterwards', async () => {
    const administrator = await connectAlone(database.url, { name });
    const allow = (whether: boolean) =>
      administrator.query(
        `alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_read_only = ${!whether}`,
      );
    const db = open(null, database.url, 1);
    await sql`create table written ()`.execute(db);
    await sql`set default_transaction_read_only = on`.execute(db);
    await assert.rejects(sql`insert into written default values`.execute(db), rejectedAs('25006'));
    await sql`insert into written default values`.execute(db);
    await allow(false);
    await assert.rejects(connectAlone(database.url, { name }), rejectedAs('25006'));
    await assert.rejects(sql`select 1`.execute(open(null)), rejectedAs('25006'));
    await (await connectAlone(database.url, { name, readOnly: true })).end();
    await allow(true);
    await sql`insert into written default values`.execute(open(null));
    await administrator.end();
  });
});

test('a connection that is silent for too long loses its lock to one that waits, which reports what for', async () => {
  const next = await connectAlone(database.url, { name });
  const silent = await connectAlone(database.url, { name, silenceMs: 1_000 });
  const lost = once(silent, 'error');
  const told: string[] = [];
  const wait = { text: 'Waiting for the first', tell: (line: string) => told.push(line) };
  await takeLock(silent, advisoryLocks.firstStart, wait);
  assert.deepEqual(told, []);
  await takeLock(next, advisoryLocks.firstStart, wait);
  assert.deepEqual(told, ['Waiting for the first']);
  assert.ok(isDatabaseAway((await lost)[0]));
  await next.end();
});
