import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstIdAt, newId, timeOfId } from './ids.ts';

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

test('an id is a UUIDv7 in base32, and names its time', () => {
  const moment = new Date('2026-01-01T00:00:00.123Z');
  // 019b7695-387b-7000-8000-000000000000
  assert.equal(firstIdAt('usr', moment), 'usr_01kdvdna3ve008000000000000');
  assert.equal(firstIdAt('usr', new Date(-5)), 'usr_0000000000e008000000000000');
  const ids = Array.from({ length: 1_000 }, () => newId('usr', moment));
  for (const id of ids) {
    assert.deepEqual(timeOfId(id), moment);
    // The version and the variant.
    assert.match(id, /^usr_01kdvdna3ve[0-9a-z]{2}[89abrstv]/);
    assert.ok(id > firstIdAt('usr', moment) && id < firstIdAt('usr', new Date(moment.getTime() + 1)));
  }
  const last = ids.map((id) => id.slice(-8));
  assert.equal(new Set(last).size, last.length);
});

test('text that is no id has no time', () => {
  const id = newId('usr', new Date());
  const others = ['', 'usr', 'usr_', id.slice(4), id.slice(0, -1), `${id}0`, id.toUpperCase(), `_${id.slice(4)}`];
  assert.deepEqual(
    [...others, `usr_8${id.slice(5)}`, `${id.slice(0, -1)}u`].map(timeOfId).filter((time) => time !== null),
    [],
  );
});
