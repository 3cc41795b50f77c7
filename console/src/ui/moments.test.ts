import { expect, test } from 'vitest';
import { clockTime, relativeTime } from './moments.ts';

const now = Date.parse('2026-03-10T12:00:00Z');

test('a time is shown in the largest unit that fits', () => {
  expect(relativeTime('2026-03-10T11:59:40Z', now)).toBe('just now');
  expect(relativeTime('2026-03-10T09:00:00Z', now)).toBe('3 hr. ago');
  expect(relativeTime('2026-03-12T12:00:00Z', now)).toBe('in 2 days');
});

test('an entry of a log has the time of day, and its date unless it is from today', () => {
  const moment = new Date(2026, 2, 10, 12, 0, 7);
  const at = (...date: [number, number, number]) => new Date(...date, 9, 5, 3).toISOString();
  expect(clockTime(at(2026, 2, 10), moment)).toBe('09:05:03');
  expect(clockTime(at(2026, 2, 9), moment)).toBe('9 Mar, 09:05:03');
  expect(clockTime(at(2025, 2, 9), moment)).toBe('9 Mar 2025, 09:05:03');
});
