import type { SmsStatement } from '#api/records.ts';

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/** The days of a period; its end is the start of the next. */
export function periodOf({ periodStart, periodEnd }: Pick<SmsStatement, 'periodStart' | 'periodEnd'>): string {
  return days.formatRange(new Date(periodStart), new Date(periodEnd));
}

/** @param now milliseconds since 1970 */
export function stateOf({ paidAt, dueAt }: Pick<SmsStatement, 'paidAt' | 'dueAt'>, now: number): string {
  if (paidAt !== null) return 'paid';
  return Date.parse(dueAt) < now ? 'overdue' : 'open';
}
