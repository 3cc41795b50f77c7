import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { certificateEnd } from '#platform/fetch.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Certified, selfSigned, startSyslog } from '#tests/syslog-server.ts';
import { certificateReading, runCheck } from './checks.ts';

const DAY_MS = 86_400_000;
let latchkey: TestLatchkey;
let own: Certified;
let server: Awaited<ReturnType<typeof startSyslog>>;
let port: number;
before(async () => {
  [latchkey, own] = await Promise.all([startTestLatchkey(), selfSigned('localhost')]);
  server = await startSyslog(own);
  port = Number(new URL(server.address).port);
});
after(async () => {
  server.stop();
  await latchkey.stop();
});

/** The system as it would be in production. */
const strict = () => ({ ...latchkey.system, config: { ...latchkey.system.config, mode: 'production' as const } });
const check = (host: string) =>
  ({
    kind: 'tls',
    host,
    port,
    degradedDays: 14,
    outageDays: 3,
    intervalSeconds: 60,
    timeoutSeconds: 5,
  }) as const;

describe('the check of a certificate', () => {
  test('is degraded, a partial or a major outage by the days that are left', () => {
    const now = new Date('2026-01-31T12:00:00Z');
    const in_ = (days: number) =>
      certificateReading(new Date(now.getTime() + days * DAY_MS), { degradedDays: 14, outageDays: 3 }, now);
    assert.deepEqual([30, 14, 13.9, 3, 2.9, 0.1, 0, -5].map(in_), [0, 0, 1, 1, 2, 2, 3, 3]);
  });

  test('reads when a valid certificate expires', async () => {
    const end = await certificateEnd(latchkey.system, { host: 'localhost', port, ca: own.certificate }, 5_000);
    const days = (end.getTime() - Date.now()) / DAY_MS;
    assert.ok(days > 0.9 && days <= 1, String(end));
  });

  test('is an outage for a certificate that nobody trusts or that is for another host', async () => {
    assert.equal(await runCheck(latchkey.system, check('localhost'), null), 3);
    await assert.rejects(certificateEnd(latchkey.system, { host: '127.0.0.1', port, ca: own.certificate }, 5_000));
  });

  test('ends in time at a server that sends nothing', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const address = silent.address();
    assert.ok(address !== null && typeof address === 'object');
    await assert.rejects(
      certificateEnd(latchkey.system, { host: '127.0.0.1', port: address.port }, 50),
      /No certificate in time/,
    );
    silent.close();
  });

  test('reaches no private address, by name or by number', async () => {
    const before = server.connections();
    for (const host of ['localhost', '127.0.0.1', '::1', '127.1', '0x7f.1', '169.254.169.254', '::ffff:127.0.0.1']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other, so that a fault names its host
      await assert.rejects(
        certificateEnd(strict(), { host, port, ca: own.certificate }, 5_000),
        (error) => error instanceof Error && /no(?:t a)? public address|ENOTFOUND|EAI_AGAIN/.test(error.message),
        host,
      );
      assert.equal(await runCheck(strict(), check(host), null), 3);
      assert.equal(await runCheck(strict(), { ...check(host), kind: 'tcp' }, null), 3);
    }
    assert.equal(server.connections(), before);
  });
});
