/**
 * The n-th period since an anchor, as months in UTC. It starts on the anchor's day and time of day, or on the month's
 * last day if the month is shorter. Every boundary is counted from the anchor, so the 31st returns after a short month.
 * @param number 0 for the period that starts at the anchor
 */
export function periodOf(anchor: Date, number: number): { start: Date; end: Date } {
  return { start: monthsAfter(anchor, number), end: monthsAfter(anchor, number + 1) };
}

function monthsAfter(anchor: Date, months: number): Date {
  const moved = new Date(anchor);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(anchor.getUTCDate(), lastDay));
  return moved;
}

/**
 * The share of an amount for the rest of a period, rounded to the nearest minor unit.
 * @param amount in minor units
 * @returns minor units; exact for any size, because no floating point is used
 */
export function prorated(amount: number, period: { start: Date; end: Date }, now: Date): number {
  const whole = BigInt(period.end.getTime() - period.start.getTime());
  const left = BigInt(Math.max(0, period.end.getTime() - now.getTime()));
  return Number((BigInt(amount) * left * 2n + whole) / (whole * 2n));
}
