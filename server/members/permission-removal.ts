import { sql } from 'kysely';
import { emit } from '#events';
import { lockPermissionHolders, refuseBuiltIn, removePermission, takeFromPermissionHolders } from '#permissions';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import { inScope } from '#platform/scoped.ts';
import { requireAuthority } from './authority.ts';

/**
 * Removes a permission from the project, from every role that grants it and from every management client that has it.
 * @throws Problem NOT_FOUND, CONFLICT for a built-in one, AUTHORIZATION_DENIED
 */
export async function deletePermission(ctx: Ctx, key: string): Promise<void> {
  refuseBuiltIn(ctx, key);
  await transaction(ctx, async (tx) => {
    const { projectId } = tx.scope;
    const roles = await rolesGranting(tx, key);
    const others = await lockPermissionHolders(tx, key);
    await requireAuthority(tx, 'permission.delete', { grants: roles.length + others > 0 ? [key] : [] });
    await removePermission(tx, key);
    await tx.db
      .updateTable('roles')
      .set({ permissions: sql`array_remove(permissions, ${key})`, updated_at: tx.now })
      .where(inScope(tx))
      .where(sql<boolean>`${key} = any(permissions)`)
      .execute();
    await takeFromPermissionHolders(tx, key);
    await emit(tx, 'role.permission.deleted', { key });
    await announce(tx, { topic: 'member', key: `${projectId}/*` });
  });
}

/** The roles that grant a permission, locked. */
function rolesGranting(tx: TxCtx, key: string) {
  return tx.db
    .selectFrom('roles')
    .select('id')
    .where(inScope(tx))
    .where(sql<boolean>`${key} = any(permissions)`)
    .orderBy('id')
    .forUpdate()
    .execute();
}
