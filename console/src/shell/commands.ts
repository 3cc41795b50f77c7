/** Something the palette can do: go somewhere, or run. */
export type Command = { id: string; label: string; kind: string; to?: string; run?: () => void };

/** Commands that have every typed word somewhere in their label; those that begin with it first. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const [first = ''] = words;
  const fits = commands.filter(({ label, kind }) =>
    words.every((word) => `${label} ${kind}`.toLowerCase().includes(word)),
  );
  const rank = ({ label }: Command) => (label.toLowerCase().startsWith(first) ? 0 : 1);
  return fits.toSorted((one, other) => rank(one) - rank(other));
}
