import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { feedCache } from './feed-cache.ts';

let latchkey: TestLatchkey;
const loaded: string[] = [];
let beforeResponse: () => void = () => undefined;

const lengths = feedCache({
  topics: ['planted'],
  drops: ({ key: changed }, key) => changed === '*' || changed === key,
  keyOf: (word: string) => word,
  load: async (_system, word) => {
    loaded.push(word);
    beforeResponse();
    return word === '' ? undefined : word.length;
  },
  max: 2,
});

before(async () => {
  latchkey = await startTestLatchkey({ own: 'stops the change feed' });
});
after(() => latchkey.stop());

/** The words that had to be read from the database. */
async function readFor(...words: string[]): Promise<string[]> {
  loaded.length = 0;
  for (const word of words) {
    // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
    await lengths(latchkey.system, word);
  }
  return [...loaded];
}

test('a value is read once, until a change of its topic arrives', async () => {
  const { feed } = latchkey.system;
  assert.deepEqual(await readFor('a', 'bb', 'a', 'bb'), ['a', 'bb']);
  feed.apply({ topic: 'other', key: 'a' });
  assert.deepEqual(await readFor('a', 'bb'), []);
  feed.apply({ topic: 'planted', key: 'a' });
  assert.deepEqual(await readFor('a', 'bb'), ['a']);
  feed.apply({ topic: 'planted', key: '*' });
  assert.deepEqual(await readFor('a', 'bb'), ['a', 'bb']);
});

test('a value read during a change is not cached, nor is a missing one', async () => {
  beforeResponse = () => latchkey.system.feed.apply({ topic: 'planted', key: 'late' });
  assert.deepEqual(await readFor('late', 'late'), ['late', 'late']);
  beforeResponse = () => undefined;
  assert.deepEqual(await readFor('late', 'late', '', ''), ['late', '', '']);
});

test('the oldest entry is evicted when the cache is full', async () => {
  latchkey.system.feed.apply({ topic: 'planted', key: '*' });
  assert.deepEqual(await readFor('1', '2', '3', '2', '3', '1'), ['1', '2', '3', '1']);
});

test('while the feed is down everything is read', async () => {
  await latchkey.system.feed.stop();
  assert.deepEqual(await readFor('3', '3'), ['3', '3']);
});
