import { expect, test } from 'vitest';
import { moved } from './order.ts';

const items = [
  { id: 'a', position: 5 },
  { id: 'b', position: 10 },
  { id: 'c', position: 100 },
  { id: 'd', position: 100 },
];

/** The list after its positions have changed. */
const after = (changes: { id: string; position: number }[]) =>
  items
    .map((item) => changes.find(({ id }) => id === item.id) ?? item)
    .toSorted((one, other) => one.position - other.position)
    .map(({ id }) => id)
    .join('');

test('moves one step up or down, also among items that share a position', () => {
  expect(after(moved(items, 'b', -1).to)).toBe('bacd');
  expect(after(moved(items, 'd', -1).to)).toBe('abdc');
  expect(after(moved(items, 'a', 1).to)).toBe('bacd');
});

test('a move can be undone, and nothing moves at the edge', () => {
  expect(moved(items, 'b', -1).from.toSorted((one, other) => one.position - other.position)).toEqual(
    expect.arrayContaining(items.slice(0, 2)),
  );
  expect(moved(items, 'a', -1)).toEqual({ to: [], from: [] });
  expect(moved(items, 'd', 1)).toEqual({ to: [], from: [] });
});
