import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectProblem, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { type Operator, signInOperator, teammate } from '#tests/operators.ts';

const PATH = '/console/v1/backfills';

const clock = new TestClock();
let latchkey: TestLatchkey;
let owner: Operator;
let builtIn: string;
before(async () => {
  latchkey = await startTestLatchkey({ clock, settings: { LATCHKEY_ROLES: 'auth,api,console' } });
  owner = await signInOperator(latchkey);
  builtIn = (await latchkey.system.pool.query('select workspace_id from console_installation')).rows[0].workspace_id;
});
after(() => latchkey.stop());

const read = () => owner.call(PATH, { headers: { 'x-workspace-id': builtIn } });

/** The state and the fault of each, without the times. */
const states = async () =>
  (await read()).body.items.map((item: { name: string; state: string; error: string | null }) => [
    item.name,
    item.state,
    item.error,
  ]);

/** Adds the job of a backfill's next step. */
async function addJob(name: string, change = 'attempts = 0'): Promise<void> {
  const { pool } = latchkey.system;
  const key = `backfill ${name}`;
  await pool.query(`select graphile_worker.add_job('backfill', job_key := $1, run_at := $2)`, [key, clock.now()]);
  await pool.query(`update graphile_worker._private_jobs set ${change} where key = $1`, [key]);
}

test('the owners of the installation see what upgrades left to the worker, and why it stands still', async () => {
  await latchkey.system.pool.query('delete from backfills');
  assert.deepEqual((await read()).body, { items: [], nextCursor: null });
  for (const [index, name] of ['done', 'waiting', 'running', 'failed', 'given-up'].entries()) {
    // biome-ignore lint/performance/noAwaitInLoops: in a known order
    await latchkey.system.pool.query(
      `insert into backfills (name, rows_done, rows_total, created_at, completed_at) values ($1, 1500, 4000, $2, $3)`,
      [name, new Date(clock.now().getTime() - index * 1_000), name === 'done' ? clock.now() : null],
    );
  }
  await addJob('running');
  await addJob('failed', `last_error = E'value too long\nat a.ts', attempts = 2`);
  await addJob('given-up', `last_error = 'value too long', attempts = max_attempts`);
  const { body } = await read();
  const [first] = body.items;
  assert.deepEqual([first.rowsDone, first.rowsEstimated, first.nextAttemptAt], [1_500, 4_000, null]);
  assert.deepEqual(await states(), [
    ['done', 'done', null],
    ['waiting', 'waiting', null],
    ['running', 'running', null],
    ['failed', 'failed', 'value too long'],
    ['given-up', 'failed', 'value too long'],
  ]);
  const attempts = body.items.map(({ nextAttemptAt }: { nextAttemptAt: string | null }) => nextAttemptAt !== null);
  assert.deepEqual(attempts, [false, false, false, true, false]);
  clock.advance(120_000);
  assert.deepEqual((await states())[2], ['running', 'waiting', null], 'no worker takes the next step');
});

test('nobody else sees them', async () => {
  expectProblem(
    await latchkey.console(PATH, { headers: { 'x-workspace-id': builtIn } }),
    401,
    'AUTHENTICATION_REQUIRED',
  );
  const other = await teammate(latchkey, 'owner');
  expectProblem(await other.call(PATH), 403, 'AUTHORIZATION_DENIED');
  expectProblem(await other.call(PATH, { headers: { 'x-workspace-id': builtIn } }), 403, 'MEMBERSHIP_REQUIRED');
});
