import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startWorker } from '#tests/worker.ts';

describe('what a test file leaves behind fails it', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-worker-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Runs planted files in one worker. */
  const run = async (...files: string[]) => {
    const worker = startWorker({}, 60_000);
    const results = [];
    for (const [index, text] of files.entries()) {
      const file = join(folder, `${crypto.randomUUID()}-${index}.mjs`);
      // biome-ignore lint/performance/noAwaitInLoops: one file after the other
      await writeFile(file, `import { test } from 'node:test';\n${text}`);
      results.push(await worker.run(file, undefined));
    }
    const running = worker.isRunning();
    return { results, running, end: running ? await worker.stop() : '' };
  };
  const SOUND = "test('sound', () => undefined);";
  const FAILS_LATER = "setTimeout(() => { throw new Error('later'); }, 10);";

  test('nothing, if every test passes', async () => {
    const { results, end } = await run(SOUND, SOUND);
    assert.deepEqual(
      results.map(({ passed, failed }) => [passed, failed]),
      [
        [1, 0],
        [1, 0],
      ],
    );
    assert.equal(end, '');
  });

  test('an unhandled rejection, with its stack', async () => {
    const { results } = await run(`test('ends first', () => { Promise.reject(new Error('left behind')); });`, SOUND);
    assert.deepEqual(
      results.map(({ failed }) => failed),
      [1, 0],
    );
    assert.match(results[0]?.faults ?? '', /unhandledRejection: Error: left behind\n +at .*-0\.mjs/);
  });

  test('an exception after the last test', async () => {
    const waits = "test('waits', () => new Promise((done) => setTimeout(done, 500)));";
    const { results } = await run(`${FAILS_LATER} ${waits}`);
    assert.equal(results[0]?.failed, 1);
    assert.match(results[0]?.faults ?? '', /uncaughtException: Error: later/);
  });

  test('a rejection after the last file fails the end of the worker', async () => {
    const { end } = await run(
      `${SOUND} process.once('disconnect', () => { Promise.reject(new Error('at the end')); });`,
    );
    assert.match(end, /ended with code 1\nunhandledRejection: Error: at the end\n/);
  });

  test('the end of its process, with code or signal and standard error', async () => {
    const { results, running } = await run(`${SOUND} process.stderr.write('last words'); process.exit(7);`);
    assert.equal(running, false);
    assert.equal(results[0]?.faults, 'its process ended with code 7\nlast words\n');
    const killed = await run(`${SOUND} process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined);`);
    assert.match(killed.results[0]?.faults ?? '', /ended with signal SIGKILL/);
  });
});
