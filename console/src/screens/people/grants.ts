import type { Role } from '#api/records.ts';

/** Unsaved permissions, by role. */
export type Grants = { readonly [roleId: string]: readonly string[] };

type Holder = Pick<Role, 'id' | 'permissions'>;

export function granted(role: Holder, changes: Grants): readonly string[] {
  return changes[role.id] ?? role.permissions;
}

/** Gives or takes a permission. A role that is back at what is saved counts as unchanged. */
export function toggled(changes: Grants, role: Holder, key: string): Grants {
  const now = granted(role, changes);
  const next = now.includes(key) ? now.filter((one) => one !== key) : [...now, key];
  const { [role.id]: _, ...others } = changes;
  return sameSet(next, role.permissions) ? others : { ...others, [role.id]: next };
}

/** Puts what was given and taken onto what somebody else has saved meanwhile. */
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
