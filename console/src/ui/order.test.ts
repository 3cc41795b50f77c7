import { expect, test } from 'vitest';
import { nextOrder, ordered, orderIn } from './order.ts';

const rows = [{ n: 'b10' }, { n: 'B9' }, { n: null }, { n: 'a' }];
const columns = [{ name: 'N', cell: () => null, value: ({ n }: { n: string | null }) => n }];
const sorted = (text: string) => ordered(rows, columns, orderIn(text)).map(({ n }) => n);

test('rows are ordered by a column, numbers inside texts by size, and rows without a value are last', () => {
  expect(sorted('N')).toEqual(['a', 'B9', 'b10', null]);
  expect(sorted('-N')).toEqual(['b10', 'B9', 'a', null]);
  expect(sorted('Other')).toEqual(['b10', 'B9', null, 'a']);
});

test('clicks go through ascending, descending and none', () => {
  expect(nextOrder(null, 'N')).toBe('N');
  expect(nextOrder(orderIn('N'), 'N')).toBe('-N');
  expect(nextOrder(orderIn('-N'), 'N')).toBeUndefined();
  expect(nextOrder(orderIn('-N'), 'M')).toBe('M');
});
