import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextRandom } from './randomness.ts';

test('random values have the requested size, share no bytes, and later calls do not change them', () => {
  const given = Array.from({ length: 2_000 }, (_, index) => nextRandom(index % 2 === 0 ? 32 : 12));
  const before = given.map((bytes) => bytes.toString('hex'));
  assert.equal(new Set(before).size, given.length);
  assert.ok(given.every(({ length }, index) => length === (index % 2 === 0 ? 32 : 12)));
  nextRandom(64);
  assert.deepEqual(
    given.map((bytes) => bytes.toString('hex')),
    before,
  );
  const places = given.map(({ buffer, byteOffset, byteLength }) => ({
    buffer,
    from: byteOffset,
    to: byteOffset + byteLength,
  }));
  for (const [index, { buffer, from, to }] of places.entries())
    for (const other of places.slice(index + 1, index + 200))
      assert.ok(other.buffer !== buffer || other.to <= from || to <= other.from, 'two values share bytes');
});
