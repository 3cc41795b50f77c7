import type { Actor, TxCtx } from '#platform/ctx.ts';
import { perSystem, type System } from '#platform/system.ts';
import { accessOf, permissionsOf } from './access.ts';
import { excessAmong } from './authority.ts';
import { allPermissionKeys } from './permissions.ts';

type Kind = 'management' | 'operator';
type Absent<K extends Kind> = Extract<Actor, { kind: K }>;
type Readers = { [K in Kind]?: (tx: TxCtx, actor: Absent<K>) => Promise<readonly string[]> };

const readers = perSystem((): Readers => ({}));

/** Says what an actor of a kind may do in `tx.scope`'s project now; told by the part that knows. */
export function whenAbsent<K extends Kind>(system: System, kind: K, read: NonNullable<Readers[K]>): void {
  const known: { [P in K]?: Readers[P] } = readers(system);
  known[kind] = read;
}

/**
 * What somebody who asked for something earlier may do now. Who was removed, blocked, demoted or switched off since then may do what
 * that leaves: nothing that waits is worth more than whoever it waits for.
 */
export async function permissionsNow(tx: TxCtx, actor: Actor): Promise<readonly string[]> {
  const { management, operator } = readers(tx.system);
  if (actor.kind === 'system') return allPermissionKeys(tx);
  if (actor.kind === 'operator') return (await operator?.(tx, actor)) ?? [];
  // A token may have been granted less than its client.
  if (actor.kind === 'management')
    return ((await management?.(tx, actor)) ?? []).filter((key) => actor.permissions.includes(key));
  if (actor.kind !== 'customer') return [];
  const access = await accessOf(tx, actor.userId);
  return access.status === 'active' ? permissionsOf(access) : [];
}

/** Whether an actor could do today what they asked for earlier. */
export async function couldStill(tx: TxCtx, actor: Actor, permissions: readonly string[]): Promise<boolean> {
  return excessAmong(actor, await permissionsNow(tx, actor), permissions) === undefined;
}
