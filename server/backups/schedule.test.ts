import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Registry } from 'prom-client';
import { withSystem } from '#hosts';
import { loadSecrets } from '#platform/data-dir.ts';
import type { System } from '#platform/system.ts';
import { runLatchkey } from '#tests/command-line.ts';
import { expectProblem, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { signInOperator, teammate } from '#tests/operators.ts';
import { refusal, type Storage, startStorage } from '#tests/s3.ts';
import { newBackupKey } from './encryption.ts';
import { metrics } from './metrics.ts';
import { readRecords } from './records.ts';
import { makeDueBackup, verifyDueBackup } from './schedule.ts';

const SECRET = 'the secret of this test installation';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse('2026-03-01T02:30:00Z');

const key = await newBackupKey();
const clock = new TestClock(START);
let latchkey: TestLatchkey;
let storage: Storage;
let folder: string;
let lines: string[] = [];

before(async () => {
  storage = await startStorage();
  folder = await mkdtemp(join(tmpdir(), 'latchkey-backups-'));
  // No place for backups, because it is not a folder.
  await writeFile(join(folder, 'file'), '');
  latchkey = await startTestLatchkey({
    clock,
    settings: {
      LATCHKEY_SECRET: SECRET,
      LATCHKEY_BACKUP_TO: join(folder, 'kept'),
      LATCHKEY_BACKUP_KEY: key.secret,
      LATCHKEY_BACKUP_SCHEDULE: '0 3 * * *',
      LATCHKEY_BACKUP_VERIFY_SCHEDULE: '0 4 * * 0',
      LATCHKEY_BACKUP_KEEP: '3',
      LATCHKEY_LOG_LEVEL: 'error',
    },
    log: (line) => lines.push(line),
  });
});
after(async () => {
  await latchkey.stop();
  await storage.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  lines = [];
  storage.disturb = () => undefined;
  storage.objects.clear();
  await rm(join(folder, 'kept'), { recursive: true, force: true });
  await latchkey.system.pool.query('delete from backups');
});

/** The same installation with other settings for backups. */
function systemWith(changes: Partial<System['config']['backup']>): System {
  const { system } = latchkey;
  const { config } = system;
  return Object.create(system, { config: { value: { ...config, backup: { ...config.backup, ...changes } } } });
}

const restoredWith: Parameters<typeof verifyDueBackup>[1] = (databaseUrl, work) => {
  const { config, log } = latchkey.system;
  return withSystem({ config, databaseUrl, secrets: loadSecrets(config), log }, work);
};

const kept = async () => (await readdir(join(folder, 'kept')).catch(() => [])).sort();
const setClock = (time: string) => clock.advance(Date.parse(time) - clock.now().getTime());

describe('scheduled backups', () => {
  test('the first is made at once, the others when the schedule says so, each by one of several processes', async () => {
    setClock('2026-03-01T02:30:00Z');
    const { system } = latchkey;
    await Promise.all([1, 2, 3].map(() => makeDueBackup(system)));
    assert.equal((await kept()).length, 1);
    setClock('2026-03-01T02:59:59Z');
    await makeDueBackup(system);
    assert.equal((await kept()).length, 1);
    setClock('2026-03-01T03:00:00Z');
    await Promise.all([1, 2, 3].map(() => makeDueBackup(system)));
    await makeDueBackup(system);
    const names = await kept();
    assert.equal(names.length, 2);
    assert.match(names[1] ?? '', /^latchkey-20260301T030000Z-[0-9a-f]{8}\.zip\.age$/);
  });

  test('backups of a clock that was set ahead do not delay the next one', async () => {
    setClock('2027-01-01T00:00:00Z');
    await makeDueBackup(latchkey.system);
    setClock('2026-03-05T03:00:00Z');
    await makeDueBackup(latchkey.system);
    assert.equal((await kept()).length, 2);
    await makeDueBackup(latchkey.system);
    assert.equal((await kept()).length, 2);
  });

  test('a failure is logged as an error and recorded, leaves nothing behind, and is tried again', async () => {
    setClock('2026-03-06T03:00:00Z');
    const broken = systemWith({ to: join(folder, 'file') });
    await makeDueBackup(broken);
    const [record] = await readRecords(latchkey.system);
    assert.match(record?.error ?? '', /EEXIST|ENOTDIR/);
    assert.equal(JSON.parse(lines[0] ?? '').level, 50);
    await makeDueBackup(latchkey.system);
    assert.equal((await kept()).length, 0);
    clock.advance(15 * 60_000);
    await makeDueBackup(latchkey.system);
    assert.equal((await kept()).length, 1);
  });

  test('keeps the newest backups even if all are old, and does not touch other files', async () => {
    setClock('2026-04-01T03:00:00Z');
    const other = 'latchkey-20200101T030000Z-0123abcd.zip.age';
    await mkdir(join(folder, 'kept'));
    await writeFile(join(folder, 'kept', other), 'of another installation');
    await writeFile(join(folder, 'kept', 'notes.txt'), 'not a backup');
    for (let day = 0; day < 5; day += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one day after the other
      await makeDueBackup(latchkey.system);
      clock.advance(DAY_MS);
    }
    const names = await kept();
    assert.equal(names.length, 5);
    assert.ok(names.includes(other) && names.includes('notes.txt'));
    clock.advance(400 * DAY_MS);
    const failing = systemWith({ to: join(folder, 'file'), keepDays: 1 });
    await makeDueBackup(failing);
    assert.deepEqual(await kept(), names);
    clock.advance(HOUR_MS);
    await makeDueBackup(systemWith({ keepDays: 1 }));
    assert.equal((await kept()).length, 3, 'the new one, and those of others');
  });

  test('the newest verified backup is kept while newer ones are damaged', async () => {
    setClock('2026-05-03T04:00:00Z');
    const once = systemWith({ keep: 1 });
    await makeDueBackup(once);
    const [good = ''] = await kept();
    await verifyDueBackup(once, restoredWith);
    assert.ok((await readRecords(once))[0]?.verified_at);
    clock.advance(7 * DAY_MS);
    await makeDueBackup(once);
    const damaged = (await kept()).find((name) => name !== good) ?? assert.fail('a second backup');
    await writeFile(join(folder, 'kept', damaged), 'damaged');
    await verifyDueBackup(once, restoredWith);
    const [record] = await readRecords(once);
    assert.match(record?.verify_error ?? '', /is not a backup/);
    assert.match(lines.join('\n'), /the backup cannot be restored/);
    clock.advance(DAY_MS);
    await makeDueBackup(once);
    const names = await kept();
    assert.equal(names.length, 2);
    assert.ok(names.includes(good) && !names.includes(damaged));
  });

  test('partial files of a killed process are removed a day later', async () => {
    setClock('2026-06-01T03:00:00Z');
    await mkdir(join(folder, 'kept'));
    const left = 'latchkey-20260530T030000Z-0123abcd.zip.age.partial';
    const fresh = 'latchkey-20260601T025900Z-0123abcd.zip.age.partial';
    for (const name of [left, fresh, 'mine.partial']) {
      // biome-ignore lint/performance/noAwaitInLoops: three files
      await writeFile(join(folder, 'kept', name), '');
      const at = new Date(name === fresh ? '2026-06-01T02:59:00Z' : '2026-05-30T03:00:00Z');
      await utimes(join(folder, 'kept', name), at, at);
    }
    await makeDueBackup(latchkey.system);
    const names = await kept();
    assert.ok(!names.includes(left) && names.includes(fresh) && names.includes('mine.partial'), names.join());
  });

  test('a backup that the end of its process interrupts is neither stored nor recorded as a failure', async () => {
    setClock('2026-06-02T03:00:00Z');
    await makeDueBackup(latchkey.system, AbortSignal.abort());
    assert.deepEqual([await kept(), await readRecords(latchkey.system), lines], [[], [], []]);
  });
});

describe('the state of backups', () => {
  const readings = async () => {
    const system = { ...latchkey.system, metrics: new Registry() };
    for (const metric of metrics) metric.register(system);
    const lines = (await system.metrics.metrics()).split('\n').filter((line) => line.startsWith('latchkey_backup_'));
    return Object.fromEntries(lines.map((line) => line.replace('latchkey_backup_', '').split(' ')));
  };
  const settings = () => ({
    DATABASE_URL: latchkey.databaseUrl,
    LATCHKEY_SECRET: SECRET,
    LATCHKEY_BACKUP_TO: join(folder, 'kept'),
    LATCHKEY_BACKUP_KEY: key.secret,
    LATCHKEY_BACKUP_SCHEDULE: '0 3 * * *',
  });
  const examine = async () => {
    const { output } = await runLatchkey(['doctor', '--json'], settings());
    const { findings }: { findings: { check: string; state: string; found: string }[] } = JSON.parse(output);
    return findings.filter(({ check }) => check === 'backups');
  };

  test('the metrics show age, size, overdue seconds, failures and damage', async () => {
    setClock('2026-09-01T03:00:00Z');
    assert.deepEqual(await readings(), { overdue_seconds: '0', failures: '0' });
    await makeDueBackup(latchkey.system);
    const [record] = await readRecords(latchkey.system);
    clock.advance(HOUR_MS);
    const made = { bytes: String(record?.bytes), duration_seconds: '0' };
    assert.deepEqual(await readings(), { age_seconds: '3600', overdue_seconds: '0', failures: '0', ...made });
    setClock('2026-09-02T04:30:00Z');
    await makeDueBackup(systemWith({ to: join(folder, 'file') }));
    await latchkey.system.pool.query(
      "update backups set verified_at = started_at, verify_error = 'lost' where error is null",
    );
    const late = { age_seconds: '91800', overdue_seconds: '5400', failures: '1', damaged: '1' };
    assert.deepEqual(await readings(), { ...late, ...made });
  });

  test('latchkey doctor fails when one is overdue, damaged, or its place is gone', async () => {
    setClock(new Date().toISOString());
    await makeDueBackup(latchkey.system);
    const [healthy] = await examine();
    assert.equal(healthy?.state, 'ok', healthy?.found);
    await latchkey.system.pool.query("update backups set started_at = now() - interval '3 days', finished_at = now()");
    await latchkey.system.pool.query("update backups set verified_at = now(), verify_error = 'its end is missing'");
    await rm(join(folder, 'kept'), { recursive: true });
    await writeFile(join(folder, 'kept'), 'no folder');
    const faults = await examine();
    assert.deepEqual(
      faults.map(({ state }) => state),
      ['failed', 'failed', 'failed'],
    );
    assert.match(
      faults.map(({ found }) => found).join(),
      /due since .*its end is missing.*cannot be listed: .*ENOTDIR/,
    );
  });

  test('the console shows them to owners of the installation alone', async () => {
    setClock(new Date().toISOString());
    await makeDueBackup(systemWith({ to: join(folder, 'file') }));
    clock.advance(HOUR_MS);
    await makeDueBackup(latchkey.system);
    const owner = await signInOperator(latchkey);
    const { status, body } = await owner.call('/console/v1/backups');
    assert.equal(status, 200);
    const { installation } = (await owner.call('/console/v1/session')).body;
    const admin = await teammate(latchkey, 'admin', installation.workspaceId);
    const other = await teammate(latchkey, 'owner');
    expectProblem(
      await admin.call('/console/v1/backups', { headers: { 'x-workspace-id': installation.workspaceId } }),
      403,
      'AUTHORIZATION_DENIED',
    );
    expectProblem(await other.call('/console/v1/backups'), 403, 'AUTHORIZATION_DENIED');
    assert.equal(body.schedule, '0 3 * * *');
    assert.deepEqual(
      body.items.map(({ bytes, error }: { bytes: number | null; error: string | null }) => [
        bytes !== null,
        error !== null,
      ]),
      [
        [true, false],
        [false, true],
      ],
    );
  });
});

describe('backups in an S3-compatible storage', () => {
  const inBucket = () => systemWith({ to: storage.address('bucket/shop/production') });
  const settings = () => ({
    DATABASE_URL: latchkey.databaseUrl,
    LATCHKEY_SECRET: SECRET,
    LATCHKEY_BACKUP_TO: storage.address('bucket/shop/production'),
    LATCHKEY_BACKUP_KEY: key.secret,
  });

  test('are uploaded, listed, verified, restored by name, and removed when they are old', async () => {
    setClock('2026-07-05T03:00:00Z');
    for (let day = 0; day < 4; day += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one day after the other
      await makeDueBackup(inBucket());
      clock.advance(DAY_MS);
    }
    assert.deepEqual(lines, []);
    assert.equal(storage.objects.size, 3);
    assert.equal(storage.uploads.size, 0);
    const listed = await runLatchkey(['backups', '--json'], settings());
    const names: string[] = JSON.parse(listed.output);
    assert.deepEqual(names, [...storage.objects.keys()].map((name) => name.split('/').at(-1)).sort());
    await verifyDueBackup(inBucket(), restoredWith);
    const [newest] = await readRecords(latchkey.system);
    assert.deepEqual([newest?.name, newest?.verify_error], [names.at(-1), null]);
    assert.ok(newest?.verified_at);
    const restored = await runLatchkey(['restore', 'newest', '--stored', '--verify'], settings());
    assert.equal(restored.status, 0, restored.errors);
    const made = await runLatchkey(['backup', '--json'], settings());
    assert.equal(made.status, 0, made.errors);
    assert.equal((await readRecords(latchkey.system)).at(0)?.bytes, JSON.parse(made.output).bytes);
  });

  test('a refusal is reported with its code, without the credentials, and ends the upload', async () => {
    setClock('2026-08-01T03:00:00Z');
    storage.disturb = ({ method, query }) =>
      method === 'PUT' && query.has('partNumber') ? refusal(403, 'AccessDenied') : undefined;
    await makeDueBackup(inBucket());
    const [record] = await readRecords(latchkey.system);
    assert.equal(record?.error, 'The storage responded 403 AccessDenied');
    assert.deepEqual([storage.objects.size, storage.uploads.size], [0, 0]);
    assert.ok(!lines.join('').includes('secret/with'));
  });

  test('an error inside a response 200 counts as a failure', async () => {
    setClock('2026-08-02T03:00:00Z');
    storage.disturb = ({ method, query }) =>
      method === 'POST' && query.has('uploadId') ? { ...refusal(200, 'InternalError') } : undefined;
    await makeDueBackup(inBucket());
    assert.match((await readRecords(latchkey.system))[0]?.error ?? '', /InternalError/);
  });

  test('a request is repeated while the storage is busy', async () => {
    setClock('2026-08-03T03:00:00Z');
    let refused = 0;
    storage.disturb = ({ query }) => {
      if (!query.has('partNumber') || refused > 0) return undefined;
      refused += 1;
      return refusal(503, 'SlowDown');
    };
    await makeDueBackup(inBucket());
    assert.deepEqual([refused, storage.objects.size, lines], [1, 1, []]);
  });

  test('abandoned uploads are aborted a day later, on every page of the list', async () => {
    setClock('2026-08-04T03:00:00Z');
    const name = 'bucket/shop/production/latchkey-20260801T030000Z-0123abcd.zip.age';
    const begin = (id: string, key: string, initiated: string) =>
      storage.uploads.set(id, { key, initiated: new Date(initiated), parts: new Map() });
    begin('old', name, '2026-08-03T02:00:00Z');
    begin('recent', name, '2026-08-04T02:00:00Z');
    begin('other', 'bucket/shop/production/film.mp4', '2026-08-01T02:00:00Z');
    begin('older', name, '2026-08-02T02:00:00Z');
    begin('oldest', name, '2026-08-01T02:00:00Z');
    await makeDueBackup(inBucket());
    assert.deepEqual([...storage.uploads.keys()], ['recent', 'other']);
    storage.uploads.clear();
  });
});
