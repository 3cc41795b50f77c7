import { expect, test } from 'vitest';
import { relativeTime } from './moments.ts';

const now = Date.parse('2026-03-10T12:00:00Z');

test('a time is shown in the largest unit that fits', () => {
  expect(relativeTime('2026-03-10T11:59:40Z', now)).toBe('just now');
  expect(relativeTime('2026-03-10T09:00:00Z', now)).toBe('3 hr. ago');
  expect(relativeTime('2026-03-12T12:00:00Z', now)).toBe('in 2 days');
});
