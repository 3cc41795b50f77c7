import { folded } from '#platform/folded.ts';

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
