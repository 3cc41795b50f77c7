import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from './ids.ts';

test('ids of one millisecond are distinct and sort by creation; ids of later times sort after them', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const ids = Array.from({ length: 10_000 }, () => newId('usr', now));
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids, [...ids].sort());
  const later = newId('usr', new Date(now.getTime() + 1));
  assert.ok(later > (ids.at(-1) ?? ''));
  assert.match(later, /^usr_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
});

test('concurrent requests do not disturb the order of each other’s ids', () => {
  const moments = Array.from({ length: 20 }, (_, index) => new Date(Date.UTC(2026, 0, 1) + index));
  const idsByTime = new Map(moments.map((moment): [Date, string[]] => [moment, []]));
  for (let round = 0; round < 20; round += 1) for (const [moment, ids] of idsByTime) ids.push(newId('evt', moment));
  for (const ids of idsByTime.values()) assert.deepEqual(ids, [...ids].sort());
});
