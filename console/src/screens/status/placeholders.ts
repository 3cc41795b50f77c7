/** The values of the placeholders of a template, by name. */
type Values = { components: readonly string[]; begins?: Date | null; ends?: Date | null };

const PLACEHOLDER = /\{(components|time|begins|ends)\}/g;

/** Replaces the placeholders of a text that have a value: `{components}`, `{time}`, and in a maintenance `{begins}` and `{ends}`. */
export function filled(text: string, { components, begins = null, ends = null }: Values, now = new Date()): string {
  const values: Readonly<Record<string, string | null>> = {
    components: components.length > 0 ? components.join(', ') : null,
    time: utc(now),
    begins: begins && utc(begins),
    ends: ends && utc(ends),
  };
  return text.replaceAll(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);
}

function utc(moment: Date): string {
  const iso = moment.toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}
