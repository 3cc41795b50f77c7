import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { test } from 'node:test';

/** Where Latchkey is started: all with the same size, as docs/decisions/0272 says. */
const STARTS = ['package.json', 'server/latchkey.mjs', 'packaging/container/Containerfile', 'bench/server.ts'];

test('every way to start Latchkey sets the heap of V8, and all do it alike', async () => {
  const root = resolve(import.meta.dirname, '../..');
  const texts = await Promise.all(STARTS.map((path) => readFile(resolve(root, path), 'utf8')));
  const flags = texts.map((text) => text.match(/--(?:min-semi|max-semi|heap)-[a-z-]+=\d+/g)?.join(' '));
  assert.deepEqual(
    flags,
    STARTS.map(() => '--min-semi-space-size=16 --max-semi-space-size=16'),
  );
});

test('the command, the image and the benchmark set from which size on memory is given back, and all do it alike', async () => {
  const root = resolve(import.meta.dirname, '../..');
  // `npm start` also runs on Windows, where a script can't set a variable.
  const released = STARTS.filter((path) => path !== 'package.json');
  const texts = await Promise.all(released.map((path) => readFile(resolve(root, path), 'utf8')));
  assert.deepEqual(
    texts.map((text) => /MALLOC_MMAP_THRESHOLD_\W+(\d+)/.exec(text)?.[1]),
    released.map(() => '4194304'),
  );
});
