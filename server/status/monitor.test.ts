import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { advisoryLocks } from '#platform/advisory-locks.ts';
import { eventually, managementToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type SecondProcess, startSecondProcess } from '#tests/second-process.ts';
import { seedComponents } from './components.ts';

let latchkey: TestLatchkey;
const processes: SecondProcess[] = [];
before(async () => {
  latchkey = await startTestLatchkey({ own: 'one leader looks after the status of an installation' });
});
after(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await latchkey.stop();
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

/**
 * Adds a component that is well while its heartbeat is fresh, and hides all others: on a busy machine their probes are slow,
 * which is a failure.
 */
async function onlyShop(): Promise<string> {
  await seedComponents(latchkey.system);
  const token = await managementToken(latchkey);
  const path = '/v1/admin/status/components';
  const { body } = await latchkey.api(path, { token });
  const hide = ({ id }: { id: string }) =>
    latchkey.api(`${path}/${id}`, { token, method: 'PATCH', body: { shown: 'never' } });
  const hidden = await Promise.all(body.items.map(hide));
  assert.deepEqual([...new Set(hidden.map(({ status }) => status))], [200]);
  const check = { kind: 'heartbeat', intervalSeconds: 10 };
  const made = await latchkey.api(path, { token, body: { groupId: 'platform', name: 'Shop', check } });
  assert.equal(made.status, 201, made.text);
  await lastHeartbeat(made.body.id, '1 day');
  return made.body.id;
}

/** @param ahead an offset far from now, past or future, so that the duration of the test does not matter */
const lastHeartbeat = (id: string, ahead: string) =>
  latchkey.system.pool.query(
    'update status_components set heartbeat_at = now() + $2::interval where id = $1 /* all workspaces */',
    [id, ahead],
  );

test('a leader that could not add the components of the status at first adds them later', async () => {
  const { pool } = latchkey.system;
  await pool.query(`
    create sequence refusals;
    create function refuse() returns trigger language plpgsql as $$ begin
      perform nextval('refusals');
      raise 'refused';
    end $$;
    create trigger refuse before insert on status_components execute function refuse()`);
  const measuring = await startSecondProcess(latchkey, { LATCHKEY_ROLES: 'status' });
  processes.push(measuring);
  await eventually(async () =>
    assert.equal((await pool.query('select is_called from refusals')).rows[0]?.is_called, true),
  );
  await pool.query('drop trigger refuse on status_components; drop function refuse; drop sequence refusals');
  await eventually(async () => {
    const { rowCount } = await pool.query('select from status_components /* all workspaces */');
    assert.ok(rowCount);
  });
  processes.splice(0, 1);
  await measuring.stop();
});

describe('several processes that measure the status', () => {
  test('agree on one state; when the leader is killed another takes over, and a failure is announced once', async () => {
    const shop = await onlyShop();
    for (const _ of [1, 2]) {
      // biome-ignore lint/performance/noAwaitInLoops: the first to start leads
      processes.push(await startSecondProcess(latchkey, { LATCHKEY_ROLES: 'status' }));
    }
    const first = await eventually(async () => {
      const pid = await leader();
      assert.ok(pid);
      return pid;
    });
    const [killed] = processes.splice(0, 1);
    killed?.child.kill('SIGKILL');
    if (killed) await once(killed.child, 'exit');
    await eventually(async () => {
      const pid = await leader();
      assert.ok(pid !== null && pid !== first);
    });
    await lastHeartbeat(shop, '-1 day');

    const changes = async () =>
      (
        await latchkey.system.pool.query(
          `select data from events where type = 'status.component.changed' and data->>'componentId' = $1`,
          [shop],
        )
      ).rows.map(({ data }) => data.to);
    await eventually(async () => assert.deepEqual(await changes(), ['major_outage']));
    // A process that does not measure shows the same.
    await eventually(async () => {
      const { body } = await latchkey.api('/api/status/summary');
      assert.deepEqual([body.incidents[0]?.title, body.incidents.length], ['Problem with Shop', 1]);
      assert.equal(body.overallStatus, 'degraded');
    });
    const { rows } = await latchkey.system.pool.query(
      `select type from events where type = 'status.degraded' and environment = 'test'`,
    );
    assert.equal(rows.length, 1);
  });
});
