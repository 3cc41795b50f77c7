import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Registry } from 'prom-client';
import type { Config } from '#platform/config.ts';
import type { System } from '#platform/system.ts';
import { withoutDatabase } from '#tests/away.ts';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
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

/** Waits until a process says that it is ready, or is not, with these checks. */
const expectReadiness = (base: number, status: 200 | 503, checks: Record<string, boolean>) =>
  eventually(async () => {
    const response = await fetch(`http://127.0.0.1:${base + 90}/readyz`);
    const body = { status: status === 200 ? 'ready' : 'not ready', checks };
    assert.deepEqual({ status: response.status, body: await response.json() }, { status, body });
  });

describe('a process that is about to end', () => {
  test('is not ready, still serves, and asks every client to open its next connection elsewhere', async () => {
    const { hosts, base } = await open(['auth']);
    const address = new URL(latchkey.system.config.addresses.test.auth);
    const get = (path: string) => fetch(`http://localhost:${base + 1}${path}`, { headers: { host: address.host } });
    await expectReadiness(base, 200, { database: true, feed: true, running: true });
    assert.equal((await get('/v1/none')).headers.get('connection'), 'keep-alive');
    await hosts.drain();
    await expectReadiness(base, 503, { database: true, feed: true, running: false });
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
  const away = withoutDatabase(t, latchkey.system);
  const status = await open(['status'], away);
  await expectReadiness(status.base, 200, { running: true });
  await status.hosts.stop();
  const worker = await open(['status', 'worker'], away);
  await expectReadiness(worker.base, 503, { database: false, feed: true, running: true });
  await worker.hosts.stop();
});
