import { expect, test } from 'vitest';
import { kept, linkTo, parseSearch, stringifySearch } from './search.ts';

test('filters survive the address as text, also those that look like numbers', () => {
  const filters = { q: 'ada & co', cursor: '0123', status: 'active' };
  expect(parseSearch(stringifySearch(filters))).toEqual(filters);
});

test('an empty filter leaves no trace in the address', () => {
  expect(stringifySearch(kept({ q: '', status: undefined }))).toBe('');
});

test('a link to a filtered list is split into path and filters', () => {
  expect(linkTo('/w/p/test/events?types=user.login')).toEqual({
    to: '/w/p/test/events',
    search: { types: 'user.login' },
  });
});
