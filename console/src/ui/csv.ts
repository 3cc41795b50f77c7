import type { Column } from './table.tsx';

/** What a spreadsheet would take for a formula (OWASP, CSV injection). A number or phone number is none. */
const FORMULA = /^[=@\t\r]|^[+-](?![\d\s().-]*$)/;

function cellOf(value: string | number | boolean | null | undefined): string {
  const text = String(value ?? '');
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows as CSV (RFC 4180): the columns that have a value, with their names. */
export function csvOf<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
  const valued = columns.flatMap(({ name, value }) => (value ? [{ name, value }] : []));
  const lines = [
    valued.map(({ name }) => cellOf(name)),
    ...rows.map((row) => valued.map(({ value }) => cellOf(value(row)))),
  ];
  return `${lines.map((cells) => cells.join(',')).join('\r\n')}\r\n`;
}

/** Lets the browser save a text as a file. */
export function saveText(name: string, type: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
