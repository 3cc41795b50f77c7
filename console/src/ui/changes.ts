export type Conflict = { field: string; theirs: string; mine: string };

/** Names of the fields that differ from the record they were typed over. */
export function changed<T extends object>(base: T, mine: Partial<T>): string[] {
  return Object.keys(mine).filter((name) => !same(Reflect.get(base, name), Reflect.get(mine, name)));
}

/** Fields that somebody else changed since: what stands there now, and what this person wants (if they changed it too). */
export function conflictsOf<T extends object>(base: T, mine: Partial<T>, theirs: T): Conflict[] {
  return Object.keys(theirs)
    .filter((name) => name !== 'updatedAt' && !same(Reflect.get(base, name), Reflect.get(theirs, name)))
    .map((field) => ({
      field,
      theirs: shown(Reflect.get(theirs, field)),
      mine: field in mine ? shown(Reflect.get(mine, field)) : 'not changed',
    }));
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
