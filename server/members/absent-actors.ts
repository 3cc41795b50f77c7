import { allPermissionKeys } from '#permissions';
import type { Actor, TxCtx } from '#platform/ctx.ts';
import type { Part } from '#platform/part.ts';
import { perSystem } from '#platform/system.ts';
import { accessOf } from './access.ts';
import { type Act, AUTHORITY, excessAmong } from './authority.ts';

/** How the parts that know read the current permissions of each kind of actor. */
const readers = perSystem(
  ({ parts }): NonNullable<Part['permissionsNow']> =>
    Object.assign({}, ...parts.map(({ permissionsNow: reader }) => reader)),
);

/**
 * What the actor of a deferred request may do now. An actor who was removed, blocked, demoted or disabled since then
 * has only the remaining permissions: deferred work never gets more rights than its actor has when it runs.
 * @returns whether they may do the act to a target with these permissions; null if they may not do the act at all
 */
export async function authorityNow(
  tx: TxCtx,
  actor: Actor,
  act: Act,
): Promise<((grants: readonly string[]) => boolean) | null> {
  const held = await permissionsNow(tx, actor);
  if (!held.includes(AUTHORITY[act].permission)) return null;
  return (grants) => excessAmong({ actor, system: tx.system }, held, grants) === undefined;
}

/** The permissions that an actor has now. */
async function permissionsNow(tx: TxCtx, actor: Actor): Promise<readonly string[]> {
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
