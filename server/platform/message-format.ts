import { IntlMessageFormat } from 'intl-messageformat';

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = new Set(['ar']);

/** The direction in which a language is written, as the attribute `dir` has it. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
}

function compiled(message: string, language: string): IntlMessageFormat {
  return new IntlMessageFormat(message, language, undefined, { ignoreTag: true });
}

export type MessageValues = Readonly<Record<string, string | number>>;

/** A text that is put into a message. It stays apart from the message until its direction is set; `select` compares its text. */
class Written {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/** The texts of one language, each in ICU MessageFormat and compiled at most once. */
export function sayIn<Id extends string>(
  texts: Readonly<Record<Id, string>>,
  language: string,
): (id: Id, values?: MessageValues) => string {
  const formats = new Map<Id, IntlMessageFormat>();
  return (id, values) => {
    if (values === undefined) return texts[id];
    const format = formats.get(id) ?? compiled(texts[id], language);
    formats.set(id, format);
    return filled(format, language, values);
  };
}

/**
 * Formats a text in ICU MessageFormat that may be used only once.
 * @param bare names of values that stay as they are, because programs read them
 */
export function formatMessage(
  message: string,
  language: string,
  values: MessageValues,
  bare: readonly string[],
): string {
  return filled(compiled(message, language), language, values, bare);
}

/**
 * In a language from right to left, each value keeps its own direction: addresses, names and numbers would otherwise be
 * torn apart (UAX #9, first strong isolate).
 */
function filled(
  format: IntlMessageFormat,
  language: string,
  values: MessageValues,
  bare: readonly string[] = [],
): string {
  // No prototype: `{constructor}` is not a value.
  const known: Record<string, string | number> = Object.assign(Object.create(null), values);
  if (directionOf(language) === 'ltr') return String(format.format(known));
  const apart = Object.entries(known).map(([name, value]) => [
    name,
    typeof value === 'string' && !bare.includes(name) ? new Written(value) : value,
  ]);
  const parts = format.formatToParts<Written>(Object.assign(Object.create(null), Object.fromEntries(apart)));
  return parts.map(({ value }) => (value instanceof Written ? `\u2068${value.text}\u2069` : String(value))).join('');
}
