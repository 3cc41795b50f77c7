/** The fields of a user that search reads. */
export type Searchable = {
  /** Email, phone and username, as they are stored. */
  identifiers: readonly string[];
  displayName?: string | null;
  givenName?: string | null;
  familyName?: string | null;
};

/**
 * Normalises text for search: lower case, without accents, runs of spaces as one. Letters beyond ASCII are written as
 * code points, because trigrams consist of letters, and which characters count as letters depends on the database's
 * locale.
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

/**
 * The searchable fields of a user, each preceded by a line feed, so that a search can match the beginning of a field.
 */
export function searchTextOf({ identifiers, displayName, givenName, familyName }: Searchable): string {
  const names = [displayName, [givenName, familyName].filter(Boolean).join(' ')];
  const lines = [...identifiers, ...names].flatMap((line) => (line ? [folded(line)] : []));
  return [...new Set(lines)].map((line) => `\n${line}`).join('');
}
