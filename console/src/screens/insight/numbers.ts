export const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
export const month = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** A number of people, and their share of all. */
export function shareOf(people: number, all: number): string {
  const number = people.toLocaleString('en');
  return all === 0 ? number : `${number} (${percent.format(people / all)})`;
}
