import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { loadConfig } from './config.ts';
import { AlreadyRunningError, loadSecrets, takeDataDir } from './data-dir.ts';
import { placeOfNumbers } from './processes.ts';
import { StartError } from './start-error.ts';

describe('the data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-folder-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const config = () => loadConfig({ LATCHKEY_DATA_DIR: join(folder, 'data') });
  const lock = () => join(folder, 'data', 'latchkey.lock');
  const heldBy = (pid: number, identity: string, place = placeOfNumbers()) =>
    writeFileSync(lock(), JSON.stringify({ pid, identity, place, console: 'http://localhost:1' }));

  test('belongs to one process at a time; a second process is told who holds it', async () => {
    const { release } = await takeDataDir(config());
    await assert.rejects(takeDataDir(config()), (error) => {
      assert.ok(error instanceof AlreadyRunningError);
      assert.match(
        error.message,
        new RegExp(`already running \\(pid ${process.pid}, console http://localhost:4000\\)`),
      );
      return true;
    });
    release();
    (await takeDataDir(config())).release();
    assert.deepEqual(readdirSync(join(folder, 'data')), []);
  });

  test('a lock of a process that ended, or whose pid was reused, blocks nobody', async () => {
    (await takeDataDir(config())).release();
    for (const [pid, identity] of [
      [2 ** 22 + 1, 'x'],
      [process.pid, 'of an earlier life'],
      [process.ppid, 'of an earlier life'],
    ] as const) {
      heldBy(pid, identity);
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const { release } = await takeDataDir(config());
      assert.equal(JSON.parse(readFileSync(lock(), 'utf8')).pid, process.pid);
      release();
    }
    writeFileSync(lock(), '{"pid":');
    (await takeDataDir(config())).release();
  });

  test('a lock of another container, whose processes are invisible, holds while it is touched', async (t) => {
    (await takeDataDir(config())).release();
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    const settled = async (taking: Promise<unknown>, each: () => void = () => undefined) => {
      let done = false;
      const end = () => {
        done = true;
      };
      taking.then(end, end);
      for (let second = 0; !done && second < 30; second += 1) {
        each();
        t.mock.timers.tick(1_000);
        // biome-ignore lint/performance/noAwaitInLoops: advances the clock step by step
        await new Promise(setImmediate);
      }
    };
    heldBy(process.pid, 'of its own', 'another container');
    const refused = assert.rejects(takeDataDir(config()), AlreadyRunningError);
    await settled(refused, () => utimesSync(lock(), new Date(), new Date(statSync(lock()).mtimeMs + 1_000)));
    await refused;
    const taking = takeDataDir(config());
    await settled(taking);
    const { release } = await taking;
    const before = statSync(lock()).mtimeMs;
    t.mock.timers.tick(2_000);
    assert.notEqual(statSync(lock()).mtimeMs, before, 'and is touched by its new holder');
    release();
  });

  test('a process that was presumed dead does not release the lock of its successor', async () => {
    const { release } = await takeDataDir(config());
    heldBy(process.ppid, 'somebody else');
    release();
    assert.equal(JSON.parse(readFileSync(lock(), 'utf8')).identity, 'somebody else');
  });

  test('only one of many concurrent starts takes the folder, even over a stale lock', async () => {
    const source = `
      import { parentPort, workerData } from 'node:worker_threads';
      import { takeDataDir } from '#platform/data-dir.ts';
      let taken = true;
      try { await takeDataDir(workerData); } catch (error) { if (error.name !== 'AlreadyRunningError') throw error; taken = false; }
      parentPort.postMessage(taken);`;
    (await takeDataDir(config())).release();
    heldBy(2 ** 22 + 1, 'x');
    const url = new URL(
      `data:text/javascript,${encodeURIComponent(source.replace('#platform/data-dir.ts', new URL('data-dir.ts', import.meta.url).href))}`,
    );
    const workers = Array.from({ length: 6 }, () => new Worker(url, { workerData: { ...config() } }));
    const taken = await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0]));
    assert.equal(taken.filter(Boolean).length, 1);
    await Promise.all(workers.map((worker) => worker.terminate()));
  });

  test('if it cannot be created, the error names the place and the remedy', async () => {
    writeFileSync(join(folder, 'data'), 'a file');
    await assert.rejects(
      takeDataDir(config()),
      (error) => error instanceof StartError && /data \(EEXIST\).*LATCHKEY_DATA_DIR/.test(error.message),
    );
  });

  test('creates the secret once, readable by its owner only, and refuses a damaged one', async () => {
    const { release } = await takeDataDir(config());
    const [secret] = loadSecrets(config());
    assert.match(secret ?? '', /^[\w-]{43}$/);
    assert.deepEqual(loadSecrets(config()), [secret]);
    const path = join(folder, 'data', 'secret');
    assert.equal(statSync(path).mode & 0o777, 0o600);
    truncateSync(path, 20);
    assert.throws(() => loadSecrets(config()), /secret.* is damaged: it has 20 characters, expected 43/);
    release();
  });

  test('configured secrets leave no file behind', () => {
    const secrets = loadSecrets(
      loadConfig({ LATCHKEY_DATA_DIR: folder, LATCHKEY_SECRET: 'a secret of the tests that is long enough' }),
    );
    assert.deepEqual([secrets.length, readdirSync(folder)], [1, []]);
  });
});
