import { expect, test } from 'vitest';
import { changed, conflictsOf, opposite } from './changes.ts';

const base = { name: 'Shop', origins: ['https://a.example'], updatedAt: '2026-01-01T00:00:00Z' };

test('only what differs from the record counts as changed', () => {
  expect(changed(base, { name: 'Shop', origins: ['https://b.example'] })).toEqual(['origins']);
});

test('a conflict shows the changes of the other person beside the values of this one', () => {
  const theirs = { ...base, name: 'Store', updatedAt: '2026-01-02T00:00:00Z' };
  expect(conflictsOf(base, { name: 'Market' }, theirs)).toEqual([{ field: 'name', theirs: 'Store', mine: 'Market' }]);
  expect(conflictsOf(base, {}, theirs)).toEqual([{ field: 'name', theirs: 'Store', mine: 'not changed' }]);
  expect(conflictsOf<object>({ origins: base.origins }, {}, theirs), 'the form shows only origins').toEqual([]);
});

test('an undo restores the previous values, unless one of them was never shown', () => {
  const after = { ...base, name: 'Store', updatedAt: '2026-01-02T00:00:00Z' };
  expect(opposite(base, after, ['name'])).toEqual({ name: 'Shop' });
  expect(opposite({ ...base, clientSecret: '' }, { ...after, clientSecret: '' }, ['name', 'clientSecret'])).toBe(null);
});
