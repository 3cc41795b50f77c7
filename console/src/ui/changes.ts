export type Conflict = { field: string; theirs: string; mine: string };

/** The names of the fields that differ from the loaded record. */
export function changed<T extends object>(base: T, mine: Partial<T>): string[] {
  return Object.keys(mine).filter((name) => !same(Reflect.get(base, name), Reflect.get(mine, name)));
}

/** Fields of the form that someone else has changed: their value, and this person's value if it was changed, too. */
export function conflictsOf<T extends object>(base: T, mine: Partial<T>, theirs: T): Conflict[] {
  return Object.keys(base)
    .filter((name) => name !== 'updatedAt' && !same(Reflect.get(base, name), Reflect.get(theirs, name)))
    .map((field) => ({
      field,
      theirs: shown(Reflect.get(theirs, field)),
      mine: field in mine ? shown(Reflect.get(mine, field)) : 'not changed',
    }));
}

/**
 * The values that undo a change.
 * @param names the changed fields
 * @returns null if a previous value is unknown, such as a secret
 */
export function opposite<T extends object>(before: T, after: T, names: readonly string[]): Partial<T> | null {
  const values = Object.fromEntries(names.map((name) => [name, Reflect.get(before, name)]));
  // biome-ignore lint/nursery/noUnsafeTypeAssertion: the names are those of fields of T
  const old = values as Partial<T>;
  return names.length > 0 && changed(after, old).length === names.length ? old : null;
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
