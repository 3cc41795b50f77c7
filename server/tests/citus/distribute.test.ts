import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import type { Demo } from '#hosts';
import { ENTRY, spawnLatchkey } from '#tests/command-line.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { CLUSTER } from '#tests/postgres.ts';
import { createDemos, expectKept, load } from './load.ts';

const skip = CLUSTER === null ? 'needs a Citus cluster (npm run test:citus)' : false;

describe('dividing an installation while it serves', { skip }, () => {
  let latchkey: TestLatchkey;
  let demos: Demo[];
  let settings: Record<string, string>;

  before(async () => {
    const databaseUrl = (await CLUSTER?.fresh('latchkey_living')) ?? '';
    latchkey = await startTestLatchkey({ databaseUrl, settings: { LATCHKEY_DATABASE_LOCK_SECONDS: '3' } });
    demos = await createDemos(latchkey);
    settings = {
      DATABASE_URL: databaseUrl,
      LATCHKEY_SECRET: 'a secret of the tests that is long enough',
      LATCHKEY_DATA_DIR: latchkey.system.config.dataDir,
    };
  });
  after(() => latchkey.stop());

  const pending = async (): Promise<string[]> => {
    const { output, errors } = await spawnLatchkey(['distribute', '--plan', '--json'], settings);
    assert.equal(errors, '');
    return JSON.parse(output).pending.map(({ table }: { table: string }) => table);
  };

  /** Starts to divide, and is killed in the middle. */
  async function divideHalf(): Promise<void> {
    const child = spawn(process.execPath, [ENTRY, 'distribute'], {
      env: settings,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    child.stdout.on('data', (chunk) => {
      if (/\(20 of/.test(String(chunk))) child.kill('SIGKILL');
    });
    const [, signal] = await ended;
    assert.equal(signal, 'SIGKILL');
  }

  test('fails no request but with 503 and Retry-After, also if it is killed and run again', async (t) => {
    const all = await pending();
    const running = load(t, latchkey, demos);
    await running.served(demos);
    await divideHalf();
    assert.deepEqual(await pending(), all);
    const { status, output, errors } = await spawnLatchkey(['distribute'], settings);
    assert.equal(status, 0, errors);
    assert.match(output, /The tables are divided over 2 workers\./);
    await running.served(demos);
    const { acknowledged, failures } = await running.end();
    console.log(`${acknowledged.length} requests succeeded, ${failures.length} got 503`);
    assert.deepEqual(
      failures.filter(({ status: failed, retryAfter }) => failed !== 503 || retryAfter === null),
      [],
    );
    await expectKept(latchkey, acknowledged);
    assert.deepEqual(await pending(), []);
    const { rows } = await latchkey.system.pool.query(
      'select logicalrelid::text as table from pg_dist_partition where pg_relation_size(logicalrelid) > 0',
    );
    assert.deepEqual(rows, [], 'no row is left on the coordinator');
  });
});
