/** RFC 3339 §5.6, without leap seconds, and limited to the offsets that PostgreSQL accepts. */
const RFC_3339 =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])t(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:z|[+-](?:0\d|1[0-5]):[0-5]\d)$/i;
const YEAR_1 = Date.parse('0001-01-01T00:00:00.000Z');
const YEAR_10000 = 253_402_300_800_000;

/**
 * Parses a time.
 * @returns null if JavaScript or PostgreSQL could not hold it (years 1 to 9999 UTC), for a day that does not exist, and
 * for leap seconds, which neither supports
 */
export function readInstant(text: string): Date | null {
  if (!RFC_3339.test(text)) return null;
  const moment = new Date(text);
  const time = moment.getTime();
  if (Number.isNaN(time) || time < YEAR_1 || time >= YEAR_10000) return null;
  const day = Number(text.slice(8, 10));
  return day <= daysIn(Number(text.slice(0, 4)), Number(text.slice(5, 7))) ? moment : null;
}

/** Parses a text that has been validated as an {@link Instant}. */
export function instantOf(text: string): Date {
  const moment = readInstant(text);
  if (moment === null) throw new Error('unreachable: the schema has checked the format');
  return moment;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
