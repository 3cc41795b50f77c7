import { expect, test } from 'vitest';
import { granted, toggled } from './grants.ts';

const editor = { id: 'rol_1', permissions: ['orders:read'] };

test('a permission that is added and removed again leaves the role unchanged', () => {
  const given = toggled({}, editor, 'orders:refund');
  expect(granted(editor, given)).toEqual(['orders:read', 'orders:refund']);
  expect(toggled(given, editor, 'orders:refund')).toEqual({});
});
