const STEPS: readonly (readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [31_536_000, 'year'],
  [2_592_000, 'month'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
const longDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** @param now milliseconds since 1970 */
export function relativeTime(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1000;
  const step = STEPS.find(([length]) => Math.abs(seconds) >= length);
  return step ? relative.format(Math.round(seconds / step[0]), step[1]) : 'just now';
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/** The day of a time in the operator's time zone, as the heading of a log. */
export const dayHeading = (at: string): string => weekday.format(new Date(at));
export const timeOfDay = (at: string): string => clock.format(new Date(at));

const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
export const hourOf = (at: string): string => hour.format(new Date(at));

const dated = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** The time of day to the second, after the date unless it is today. */
export function clockTime(at: string, now: Date): string {
  const moment = new Date(at);
  const time = clock.format(moment);
  if (moment.toDateString() === now.toDateString()) return time;
  const date = moment.getFullYear() === now.getFullYear() ? day.format(moment) : dated.format(moment);
  return `${date}, ${time}`;
}

export const exactTime = (at: string): string => exact.format(new Date(at));
export const longDay = (at: string): string => longDate.format(new Date(at));
export const shortDay = (at: string): string => day.format(new Date(at));

/** Formats a time as the value of a `datetime-local` input, in the operator's time zone. Empty if there is no time. */
export function localInput(at: string | undefined): string {
  if (!at || Number.isNaN(Date.parse(at))) return '';
  const moment = new Date(at);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
