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
