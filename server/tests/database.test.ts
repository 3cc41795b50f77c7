import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { SOURCE_COUNTERS, sourceCounts } from '#platform/http-sources.ts';
import {
  eventually,
  expectProblem,
  expectWorker,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from './harness.ts';
import { CLUSTER, cloneDatabase } from './postgres.ts';

/** The statements of a page of the documentation. */
async function documented(page: 'operations' | 'scale', block: string): Promise<string> {
  const text = await readFile(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
  const [, statements] = new RegExp(`\`\`\`sql ${block}\\n([\\s\\S]*?)\`\`\``).exec(text) ?? [];
  assert.ok(statements, `${page}.md: ${block}`);
  return statements;
}

describe('a database whose user may not change the schema', () => {
  let latchkey: TestLatchkey;
  let administrator: pg.Client;
  let drop: () => Promise<void>;
  const user = `serve_${crypto.randomUUID().replaceAll('-', '')}`;
  before(async () => {
    const database = await cloneDatabase(process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '');
    administrator = new pg.Client({ connectionString: database.url });
    await administrator.connect();
    await administrator.query(`create role ${user} login password 'serve'`);
    const grants =
      (CLUSTER ? await documented('scale', 'before-grants') : '') + (await documented('operations', 'grants'));
    await administrator.query(grants.replaceAll('latchkey_serve', user));
    drop = async () => {
      await administrator.query(`drop owned by ${user}; drop role ${user}`);
      await administrator.end();
      await database.drop();
    };
    const url = new URL(database.url);
    url.username = user;
    url.password = 'serve';
    latchkey = await startTestLatchkey({ databaseUrl: url.href, settings: { LATCHKEY_DATABASE_LOCK_SECONDS: '1' } });
  });
  after(async () => {
    await latchkey.stop();
    await drop();
  });

  const rename = (token: string, displayName: string) =>
    latchkey.api('/v1/me/profile', { token, method: 'PATCH', body: { displayName } });
  const readyz = async () => (await fetch(`http://127.0.0.1:${latchkey.system.config.ports.internal}/readyz`)).status;

  test('serves: people register, their mail is sent, and events are numbered', async () => {
    await assert.rejects(latchkey.system.pool.query('create table planted ()'), /permission denied/);
    await expectWorker(latchkey);
  });

  test('BI-4 a request that waits too long for a lock gets 503 to try again, and leaves nothing behind', async () => {
    const { access_token: token } = await register(latchkey);
    await administrator.query('begin; lock table events in access exclusive mode');
    const locked = await rename(token, 'locked');
    expectProblem(locked, 503, 'SERVICE_UNAVAILABLE');
    assert.ok(locked.headers.get('retry-after'));
    await administrator.query('rollback');
    assert.equal((await rename(token, 'free')).status, 200);
    const { rows } = await administrator.query("select data from events where type = 'profile.updated'");
    assert.equal(rows.length, 1);
    assert.equal((await latchkey.api('/v1/me/profile', { token })).body.displayName, 'free');
  });

  test('requests that fail because it is away do not count against those who share their address', async () => {
    const source = '198.18.50.1';
    const { email } = await register(latchkey);
    const calls = {
      password: () => send('/v1/auth/register', { email: newEmail(), password: PASSWORD }),
      proof: () => send('/v1/auth/login/password', { identifier: email, password: 'a wrong password' }),
    };
    const send = (path: string, body: object) => latchkey.auth(path, { body, headers: { 'x-forwarded-for': source } });
    for (const counter of ['password', 'proof'] as const)
      sourceCounts(latchkey.system).add(counter, `${source}/32`, SOURCE_COUNTERS[counter].points - 1);
    await administrator.query('begin; lock table events, rate_limits in access exclusive mode');
    for (const call of [calls.password, calls.proof, calls.password, calls.proof]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await call(), 503, 'SERVICE_UNAVAILABLE');
    }
    await administrator.query('rollback');
    assert.equal((await calls.password()).status, 200);
    expectProblem(await calls.password(), 429, 'RATE_LIMIT_EXCEEDED');
    expectProblem(await calls.proof(), 401, 'INVALID_CREDENTIALS');
    expectProblem(await calls.proof(), 429, 'RATE_LIMIT_EXCEEDED');
  });

  test('BI-4 a database that accepts no writes counts as away, and as back when it does', async () => {
    const { access_token: token } = await register(latchkey);
    const name = new URL(latchkey.databaseUrl).pathname.slice(1);
    const accept = async (writes: boolean) => {
      await administrator.query(`alter database ${name} set default_transaction_read_only = ${!writes}`);
      await administrator.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [user]);
    };
    assert.equal(await readyz(), 200);
    await accept(false);
    await eventually(async () => assert.equal(await readyz(), 503));
    expectProblem(await rename(token, 'refused'), 503, 'SERVICE_UNAVAILABLE');
    await accept(true);
    await eventually(async () => assert.equal(await readyz(), 200));
    assert.equal((await rename(token, 'written')).status, 200);
  });
});
