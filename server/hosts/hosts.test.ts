import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Config } from '#platform/config.ts';
import { openPool } from '#platform/connections.ts';
import { openDb } from '#platform/db.ts';
import { measureStatements } from '#platform/statements.ts';
import { connectionsOf, makeSystem, type System } from '#platform/system.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { freePortBase } from '#tests/ports.ts';
import { Hosts } from './hosts.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

/** The hosts of these roles, on separate ports. */
async function open(roles: Config['roles'], changes: Partial<System> = {}) {
  const { system } = latchkey;
  const base = await freePortBase();
  const ports = { ...system.config.ports, console: base, test: { auth: base + 1, api: base + 2 }, internal: base + 90 };
  const production = { auth: base + 11, api: base + 12 };
  const config = { ...system.config, roles, ports: { ...ports, production }, drainMs: 0 };
  const hosts = new Hosts({ ...system, ...changes, metrics: new Registry(), config });
  await hosts.open();
  return { hosts, base };
}

const readiness = async (base: number) => {
  const response = await fetch(`http://127.0.0.1:${base + 90}/readyz`);
  return { status: response.status, body: await response.json() };
};

describe('a process that is about to end', () => {
  test('is not ready, still serves, and asks every client to open its next connection elsewhere', async () => {
    const { hosts, base } = await open(['auth']);
    const address = new URL(latchkey.system.config.addresses.test.auth);
    const get = (path: string) => fetch(`http://localhost:${base + 1}${path}`, { headers: { host: address.host } });
    assert.deepEqual(await readiness(base), {
      status: 200,
      body: { status: 'ready', checks: { database: true, feed: true, running: true } },
    });
    assert.equal((await get('/v1/none')).headers.get('connection'), 'keep-alive');
    await hosts.drain();
    assert.deepEqual(await readiness(base), {
      status: 503,
      body: { status: 'not ready', checks: { database: true, feed: true, running: false } },
    });
    for (const path of ['/v1/none', '/connect/jwks', '/.well-known/openid-configuration']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await get(path);
      assert.ok([404, 421, 200].includes(response.status), String(response.status));
      assert.equal(response.headers.get('connection'), 'close', path);
      await response.text();
    }
    await hosts.stop();
    await assert.rejects(get('/v1/none'));
  });
});

test('a process that serves only the status is ready without a database; every other role needs it', async (t) => {
  const pool = openPool('postgres://nobody@127.0.0.1:1/none', {
    size: 1,
    limits: null,
    log: pino({ level: 'silent' }),
  });
  t.after(() => pool.end());
  const db = openDb(pool, measureStatements(new Registry(), null));
  const { system, databaseUrl } = latchkey;
  const away = makeSystem(system, databaseUrl, { ...connectionsOf(system), db, proofs: db });
  const status = await open(['status'], away);
  assert.deepEqual(await readiness(status.base), { status: 200, body: { status: 'ready', checks: { running: true } } });
  await status.hosts.stop();
  const worker = await open(['status', 'worker'], away);
  assert.deepEqual(await readiness(worker.base), {
    status: 503,
    body: { status: 'not ready', checks: { database: false, feed: true, running: true } },
  });
  await worker.hosts.stop();
});
