/** A person as search sees them. */
export type Searchable = {
  /** Email, phone and username, as they are stored. */
  identifiers: readonly string[];
  displayName?: string | null;
  givenName?: string | null;
  familyName?: string | null;
};

/**
 * Text as search compares it: lower case, without accents, spaces as one. Letters beyond ASCII stand as their code points, because
 * trigrams are made of letters, and which bytes are letters depends on how a database was set up.
 */
export function folded(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[^\x20-\x7e]/gu, (letter) => `z${letter.codePointAt(0)?.toString(16)}`);
}

/** Everything a person is found by, each on a line that begins with a line feed, so that the beginning of one can be asked for. */
export function searchTextOf({ identifiers, displayName, givenName, familyName }: Searchable): string {
  const names = [displayName, [givenName, familyName].filter(Boolean).join(' ')];
  const lines = [...identifiers, ...names].flatMap((line) => (line ? [folded(line)] : []));
  return [...new Set(lines)].map((line) => `\n${line}`).join('');
}
