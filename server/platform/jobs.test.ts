import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { startJobs } from './jobs.ts';

const logged: string[] = [];
let latchkey: TestLatchkey;
let admin: pg.Client;
before(async () => {
  latchkey = await startTestLatchkey({
    settings: { LATCHKEY_ROLES: 'api', LATCHKEY_LOG_LEVEL: 'warn' },
    log: (line) => logged.push(line),
  });
  const url = new URL(latchkey.databaseUrl);
  url.pathname = '/postgres';
  admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
});
after(async () => {
  await admin.end();
  await latchkey.stop();
});

/** Takes the database away from everybody, or gives it back. */
async function allowConnections(allowed: boolean): Promise<void> {
  const name = new URL(latchkey.databaseUrl).pathname.slice(1);
  await admin.query(`alter database ${name} with allow_connections ${allowed}`);
  if (!allowed) await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
}

const stateOf = async (name: string): Promise<unknown> => {
  const { rows } = await latchkey.system.pool.query(
    'select last_error as error, locked_by is null as released from graphile_worker.jobs where task_identifier = $1',
    [name],
  );
  return rows;
};

for (const { name, fails, expected } of [
  { name: 'job_that_succeeds', fails: false, expected: [] },
  { name: 'job_that_fails', fails: true, expected: [{ error: 'as planned', released: true }] },
])
  test(`the end of a ${name.replaceAll('_', ' ')} is stored when the database is back`, async (t) => {
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const task = async () => {
      start();
      await over;
      if (fails) throw new Error('as planned');
    };
    const jobs = await startJobs(latchkey.system, { [name]: task }, 2);
    t.after(() => jobs.stop());
    await latchkey.system.pool.query('select graphile_worker.add_job($1)', [name]);
    await started;
    await allowConnections(false);
    logged.length = 0;
    end();
    await eventually(async () => assert.ok(logged.some((line) => line.includes('is tried again'))));
    await allowConnections(true);
    await eventually(async () => assert.deepEqual(await stateOf(name), expected));
  });

/** Adds a job, and waits until it has run. The pool may first have to notice that its connections ended. */
async function expectRun(ran: () => boolean, name: string): Promise<void> {
  await eventually(() =>
    latchkey.system.pool.query('select graphile_worker.add_job($1::text, job_key => $1::text)', [name]),
  );
  await eventually(async () => assert.ok(ran()));
}

test('a runner that stops by itself is replaced', async (t) => {
  let ran = false;
  const task = async () => {
    ran = true;
  };
  const jobs = await startJobs(latchkey.system, { job_of_the_next_runner: task }, 1);
  const exitCode = process.exitCode;
  t.after(async () => {
    process.exitCode = exitCode;
    await jobs.stop();
  });
  logged.length = 0;
  // A listening runner stops when another version of it changes its tables. It listens soon after its start.
  await eventually(async () => {
    await latchkey.system.pool.query(`select pg_notify('worker:migrate', '{"breaking":true,"migrationNumber":999}')`);
    assert.ok(logged.some((line) => line.includes('the runner of jobs stopped by itself')));
  });
  await expectRun(() => ran, 'job_of_the_next_runner');
});

test('a runner whose database goes away while it starts takes jobs when it is back', async (t) => {
  const url = new URL(latchkey.databaseUrl);
  const locking = new pg.Client({ connectionString: url.href });
  locking.on('error', () => undefined);
  await locking.connect();
  await locking.query('begin; lock table graphile_worker._private_tasks');
  let ran = false;
  const task = async () => {
    ran = true;
  };
  const jobs = await startJobs(latchkey.system, { job_after_an_outage: task }, 1);
  t.after(() => jobs.stop());
  await eventually(async () => {
    const { rows } = await admin.query(
      "select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock' and query like '%_private_tasks%'",
      [url.pathname.slice(1)],
    );
    assert.equal(rows.length, 1);
  });
  logged.length = 0;
  await allowConnections(false);
  await eventually(async () => assert.ok(logged.length > 0));
  await allowConnections(true);
  await expectRun(() => ran, 'job_after_an_outage');
});
