import { expect, test } from 'vitest';
import { placesOf, stretchesOf, ticksUpTo } from './scale.ts';

test('an axis has few round marks and covers the largest value', () => {
  expect(ticksUpTo(0)).toEqual([0, 1]);
  expect(ticksUpTo(3)).toEqual([0, 1, 2, 3]);
  expect(ticksUpTo(73)).toEqual([0, 20, 40, 60, 80]);
  expect(ticksUpTo(188)).toEqual([0, 50, 100, 150, 200]);
  expect(ticksUpTo(1_234_567).at(-1)).toBeGreaterThanOrEqual(1_234_567);
});

test('day labels are evenly spaced and include today', () => {
  expect(placesOf(7, 10)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(placesOf(30, 4)).toEqual([5, 13, 21, 29]);
});

test('a line has a gap where nothing was measured', () => {
  expect(stretchesOf([null, 3, 0, null, 5])).toEqual([
    { from: 1, measured: [3, 0] },
    { from: 4, measured: [5] },
  ]);
});
