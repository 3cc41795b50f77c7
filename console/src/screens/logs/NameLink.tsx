import { Link } from '@tanstack/react-router';
import type { Memberships } from '#api/records.ts';
import { useAt, useHere } from '#shell/place.ts';
import { type Named, screenOf } from './names.ts';

/** A name that leads to the record behind it, if a screen shows it. */
export function NameLink({ of, members }: { of: Named; members: Memberships }) {
  const at = useAt();
  const { workspace } = useHere();
  const path = screenOf(of, members);
  if (path === null) return of.name;
  // The team belongs to the workspace, not to a project.
  const to = of.operator ? `/${workspace}${path}` : at(path);
  return (
    <Link to={to} data-above>
      {of.name}
    </Link>
  );
}
