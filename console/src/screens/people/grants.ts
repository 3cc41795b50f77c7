import type { Role } from '#api/records.ts';

/** Unsaved permissions, by role. */
export type Grants = { readonly [roleId: string]: readonly string[] };

type Holder = Pick<Role, 'id' | 'permissions'>;

export function granted(role: Holder, changes: Grants): readonly string[] {
  return changes[role.id] ?? role.permissions;
}

/** Adds or removes a permission. A role that equals its saved state counts as unchanged. */
export function toggled(changes: Grants, role: Holder, key: string): Grants {
  const now = granted(role, changes);
  const next = now.includes(key) ? now.filter((one) => one !== key) : [...now, key];
  const { [role.id]: _, ...others } = changes;
  return sameSet(next, role.permissions) ? others : { ...others, [role.id]: next };
}

/** Applies the added and removed permissions to the version that someone else has saved. */
export function rebased(changes: Grants, before: Holder, now: Holder): Grants {
  const { [before.id]: mine = before.permissions, ...others } = changes;
  const taken = before.permissions.filter((key) => !mine.includes(key));
  const next = [...new Set([...now.permissions, ...mine.filter((key) => !before.permissions.includes(key))])].filter(
    (key) => !taken.includes(key),
  );
  return sameSet(next, now.permissions) ? others : { ...others, [before.id]: next };
}

export function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key) => other.includes(key));
}
