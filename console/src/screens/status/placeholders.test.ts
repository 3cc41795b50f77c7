import { expect, test } from 'vitest';
import { filled } from './placeholders.ts';

const now = new Date('2026-01-31T12:00:30Z');

test('placeholders get their values, and stay where there is none', () => {
  const begins = new Date('2026-02-01T08:30:00Z');
  expect(
    filled('{components} from {begins} to {ends}, {time} {other}', { components: ['Mail', 'API'], begins }, now),
  ).toBe('Mail, API from 2026-02-01 08:30 UTC to {ends}, 2026-01-31 12:00 UTC {other}');
  expect(filled('{components}', { components: [] }, now)).toBe('{components}');
});

test('a value is not filled in again', () => {
  expect(filled('{components}', { components: ['{time}'] }, now)).toBe('{time}');
});
