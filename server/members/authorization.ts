import { type Static, Type } from 'typebox';
import { allPermissionKeys } from '#permissions';
import type { Ctx } from '#platform/ctx.ts';
import { IdSchema, type UserId } from '#platform/ids.ts';
import { type Access, accessOf } from './access.ts';

/** A way in which a person gets a permission. */
const GrantingPath = Type.Object({
  role: Type.String({ description: 'The key of the role.' }),
  path: Type.Object({
    memberId: IdSchema('mem'),
    role: Type.Object({ id: IdSchema('rol'), key: Type.String(), name: Type.String() }),
    permission: Type.String(),
  }),
});

export const Check = Type.Object(
  {
    allowed: Type.Boolean(),
    because: Type.Array(GrantingPath, { description: 'Every path that grants it; empty when it is not allowed.' }),
    denial: Type.Union([Type.Enum(['not_a_member', 'not_active', 'unknown_permission', 'not_granted']), Type.Null()], {
      description: 'Why it is not allowed; null when it is.',
    }),
  },
  { title: 'PermissionCheck' },
);
type Check = Static<typeof Check>;

/**
 * Whether a person has a permission in the project of `ctx.scope` right now, and what grants it. A route that requires
 * the permission decides the same.
 */
export async function checkPermission(ctx: Ctx, userId: UserId, permission: string): Promise<Check> {
  const access = await accessOf(ctx, userId);
  const because = access.status === 'active' ? pathsTo(access, permission) : [];
  const allowed = because.length > 0;
  return { allowed, because, denial: allowed ? null : await denialOf(ctx, access, permission) };
}

function pathsTo({ memberId, roles }: Access, permission: string): Check['because'] {
  if (memberId === null) return [];
  return roles
    .filter(({ permissions }) => permissions.includes(permission))
    .map(({ id, key, name }) => ({ role: key, path: { memberId, role: { id, key, name }, permission } }));
}

async function denialOf(ctx: Ctx, { status }: Access, permission: string): Promise<NonNullable<Check['denial']>> {
  if (status === null) return 'not_a_member';
  if (status !== 'active') return 'not_active';
  return (await allPermissionKeys(ctx)).includes(permission) ? 'not_granted' : 'unknown_permission';
}
