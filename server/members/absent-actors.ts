import { allPermissionKeys } from '#permissions';
import { type Actor, type ResponsibleActor, responsibleFor, type TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import type { Part } from '#platform/part.ts';
import { Problem } from '#platform/problem.ts';
import { perSystem } from '#platform/system.ts';
import { accessOf } from './access.ts';
import { type Act, AUTHORITY, excessAmong, requireAuthority } from './authority.ts';

/** How the parts that know read the current permissions of each kind of actor. */
const readers = perSystem(
  ({ parts }): NonNullable<Part['permissionsNow']> =>
    Object.assign({}, ...parts.map(({ permissionsNow: reader }) => reader)),
);

/** The current authority of an actor: over a target with certain permissions, or over a person. */
type AuthorityNow = {
  covers: (grants: readonly string[]) => boolean;
  reaches: (userId: UserId) => Promise<boolean>;
};

/**
 * What the actor of a deferred request may do now. An actor who was removed, blocked, demoted or disabled since then
 * has only the remaining permissions: deferred work never gets more rights than its actor has when it runs.
 * @returns null if they may not do the act at all
 */
export async function authorityNow(tx: TxCtx, requester: Actor, act: Act): Promise<AuthorityNow | null> {
  const actor = responsibleFor(requester);
  const held = await permissionsNow(tx, actor);
  if (!held.includes(AUTHORITY[act].permission)) return null;
  return {
    covers: (grants) => excessAmong({ actor, system: tx.system }, held, grants) === undefined,
    reaches: (userId) => isAllowed({ ...tx, actor: withPermissions(actor, held) }, act, userId),
  };
}

function withPermissions(actor: ResponsibleActor, permissions: readonly string[]): ResponsibleActor {
  return actor.kind === 'operator' || actor.kind === 'management' ? { ...actor, permissions } : actor;
}

async function isAllowed(tx: TxCtx, act: Act, userId: UserId): Promise<boolean> {
  try {
    await requireAuthority(tx, act, { userId });
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** The permissions that an actor has now. */
async function permissionsNow(tx: TxCtx, actor: ResponsibleActor): Promise<readonly string[]> {
  const { management, operator } = readers(tx.system);
  if (actor.kind === 'system') return allPermissionKeys(tx);
  if (actor.kind === 'operator') return (await operator?.(tx, actor)) ?? [];
  // A token may have been granted less than its client may have.
  if (actor.kind === 'management')
    return ((await management?.(tx, actor)) ?? []).filter((key) => actor.permissions.includes(key));
  if (actor.kind !== 'customer') return [];
  const access = await accessOf(tx, actor.userId);
  return access.status === 'active' ? access.permissions : [];
}
