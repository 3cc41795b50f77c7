/** The fields of a user that search reads. */
export type Searchable = {
  /** Email, phone and username, as they are stored. */
  identifiers: readonly string[];
  displayName?: string | null;
  givenName?: string | null;
  middleName?: string | null;
  familyName?: string | null;
  nickname?: string | null;
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
export function searchTextOf({ identifiers, displayName, nickname, ...parts }: Searchable): string {
  const { givenName, middleName, familyName } = parts;
  const full = [
    [givenName, familyName],
    [givenName, middleName, familyName],
  ].map((names) => names.filter(Boolean).join(' '));
  const lines = [...identifiers, displayName, ...full, nickname].flatMap((line) => (line ? [folded(line)] : []));
  return [...new Set(lines)].map((line) => `\n${line}`).join('');
}
