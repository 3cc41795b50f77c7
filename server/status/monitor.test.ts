import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { advisoryLocks } from '#platform/advisory-locks.ts';
import { eventually, managementToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Receiver, respondWith, startReceiver } from '#tests/receiver.ts';
import { type SecondProcess, startSecondProcess } from '#tests/second-process.ts';

let latchkey: TestLatchkey;
let receiver: Receiver;
const processes: SecondProcess[] = [];
before(async () => {
  [latchkey, receiver] = await Promise.all([
    startTestLatchkey({ own: 'one leader looks after the status of an installation' }),
    startReceiver(),
  ]);
});
after(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await Promise.all([latchkey.stop(), receiver.stop()]);
});

/** The database process id of the leader's connection; null without a leader. */
const leader = async (): Promise<number | null> => {
  const { rows } = await latchkey.system.pool.query(
    `select l.pid from pg_locks l join pg_database d on d.oid = l.database
     where d.datname = current_database() and l.locktype = 'advisory' and l.objid = ${advisoryLocks.statusLeader} and l.granted`,
  );
  assert.ok(rows.length < 2, 'one at a time');
  return rows[0]?.pid ?? null;
};

describe('several processes that measure the status', () => {
  test('agree on one state; when the leader is killed another takes over, and a failure is announced once', async () => {
    for (const _ of [1, 2]) {
      // biome-ignore lint/performance/noAwaitInLoops: the first to start leads
      processes.push(await startSecondProcess(latchkey, { LATCHKEY_ROLES: 'status' }));
    }
    const first = await eventually(async () => {
      const pid = await leader();
      assert.ok(pid);
      return pid;
    });
    const token = await managementToken(latchkey);
    const made = await latchkey.api('/v1/admin/status/components', {
      token,
      body: {
        groupId: 'platform',
        name: 'Shop',
        check: {
          kind: 'http',
          url: `${receiver.origin}/shop`,
          intervalSeconds: 10,
          timeoutSeconds: 2,
          expectedStatus: 200,
          bodyContains: 'welcome',
        },
      },
    });
    assert.equal(made.status, 201, made.text);
    receiver.on('/shop', respondWith(200, {}, 'welcome'));
    await eventually(async () => assert.ok(receiver.at('/shop').length > 0));

    const [killed] = processes.splice(0, 1);
    killed?.child.kill('SIGKILL');
    if (killed) await once(killed.child, 'exit');
    receiver.on('/shop', respondWith(200, {}, 'closed'));
    await eventually(async () => {
      const pid = await leader();
      assert.ok(pid !== null && pid !== first);
    });

    const changes = async () =>
      (
        await latchkey.system.pool.query(
          `select data from events where type = 'status.component.changed' and data->>'componentId' = $1`,
          [made.body.id],
        )
      ).rows.map(({ data }) => data.to);
    await eventually(async () => assert.deepEqual(await changes(), ['major_outage']));
    // A process that does not measure shows the same.
    await eventually(async () => {
      const { body } = await latchkey.api('/api/status/summary');
      assert.deepEqual([body.incidents[0]?.title, body.incidents.length], ['Problem with Shop', 1]);
      assert.equal(body.overallStatus, 'degraded');
    });
    const { rows } = await latchkey.system.pool.query(`select type from events where type = 'status.degraded'`);
    assert.equal(rows.length, 1);
  });
});
