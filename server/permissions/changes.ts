import type { TxCtx } from '#platform/ctx.ts';
import type { PermissionsChanged } from '#platform/part.ts';

/** Reports a change of permissions, which may have removed some. */
export async function permissionsChanged(tx: TxCtx, changed: PermissionsChanged, reason: string): Promise<void> {
  for (const part of tx.system.parts) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await part.permissionsChanged?.(tx, changed, reason);
  }
}
