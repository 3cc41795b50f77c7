import { expect, test } from 'vitest';
import { periodOf, stateOf } from './statements.ts';

test('a statement is open until its due date, then overdue, unless it is paid', () => {
  const dueAt = '2026-03-14T00:00:00Z';
  const due = Date.parse(dueAt);
  expect(stateOf({ paidAt: null, dueAt }, due - 1)).toBe('open');
  expect(stateOf({ paidAt: null, dueAt }, due + 1)).toBe('overdue');
  expect(stateOf({ paidAt: '2026-04-01T00:00:00Z', dueAt }, due + 1)).toBe('paid');
});

test('a period is shown by its days, in UTC', () => {
  const period = { periodStart: '2026-01-31T23:30:00Z', periodEnd: '2026-02-28T23:30:00Z' };
  expect(periodOf(period).replaceAll(/\s/g, ' ')).toBe('31 Jan – 28 Feb 2026');
});
