/** A record of another system: nothing about its fields is certain. */
export type Fields = Readonly<Record<string, unknown>>;

/** An object, also one that is written as JSON in a cell; empty for anything else. */
export function fieldsOf(value: unknown): Fields {
  const read = typeof value === 'string' && value.startsWith('{') ? parsed(value) : value;
  return typeof read === 'object' && read !== null && !Array.isArray(read) ? { ...read } : {};
}

/** A list, also one that is written as JSON in a cell; empty for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  const read = typeof value === 'string' && value.startsWith('[') ? parsed(value) : value;
  return Array.isArray(read) ? read : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first of these that is a text or a number, as text without spaces around it. */
export function textOf(...values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
    if (text !== '') return text;
  }
  return undefined;
}

/** True, as JSON, databases and CSV write it. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === 'string' && /^(?:true|t|1|yes)$/i.test(value));
}

/** A moment: milliseconds or seconds since 1970, or a text that names day and time. */
export function momentOf(value: unknown): string | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const moment = /^\d+$/.test(text) ? new Date(millisecondsOf(Number(text))) : new Date(withZone(text));
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}

/** A smaller number stands for seconds: in milliseconds, it would be before 1973. */
function millisecondsOf(number: number): number {
  return number < 1e11 ? number * 1_000 : number;
}

/** Databases write `+00`, or nothing where a column has no time zone. */
function withZone(text: string): string {
  if (/\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text) && !/[+-]\d\d:\d\d$/.test(text)) return `${text}Z`;
  return text.replace(/([+-]\d\d)$/, '$1:00');
}

/** Fields without those that are empty. */
export function filled(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
}
