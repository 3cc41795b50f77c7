/** A command of the palette: a navigation or an action. */
export type Command = { id: string; label: string; kind: string; to?: string; run?: () => void };

/** Commands whose label contains every typed word; labels that start with the text come first. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const [first = ''] = words;
  const fits = commands.filter(({ label, kind }) =>
    words.every((word) => `${label} ${kind}`.toLowerCase().includes(word)),
  );
  const rank = ({ label }: Command) => (label.toLowerCase().startsWith(first) ? 0 : 1);
  return fits.toSorted((one, other) => rank(one) - rank(other));
}
