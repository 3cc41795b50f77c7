import type { TxCtx } from '#platform/ctx.ts';
import type { PermissionsChanged } from '#platform/part.ts';

/** Reports a change of permissions, which may have removed some. */
export async function permissionsChanged(tx: TxCtx, changed: PermissionsChanged, reason: string): Promise<void> {
  for (const part of tx.system.parts) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await part.permissionsChanged?.(tx, changed, reason);
  }
}

/**
 * Locks those who hold one of the project's own permissions apart from its roles.
 * @returns how many there are
 */
export async function lockPermissionHolders(tx: TxCtx, key: string): Promise<number> {
  let count = 0;
  for (const { permissionHolders } of tx.system.parts) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    count += (await permissionHolders?.lock(tx, key)) ?? 0;
  }
  return count;
}

/** Takes a permission that is being removed from everybody who holds it apart from roles. */
export async function takeFromPermissionHolders(tx: TxCtx, key: string): Promise<void> {
  for (const { permissionHolders } of tx.system.parts) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await permissionHolders?.take(tx, key);
  }
}
