import { sql } from 'kysely';
import { emit } from '#events';
import type { TxCtx } from '#platform/ctx.ts';
import { inScope } from '#platform/scoped.ts';
import { endTokens } from './applications.ts';

/** Management clients hold permissions of the project by themselves. */
export const permissionHolders = { lock, take };

async function lock(tx: TxCtx, key: string): Promise<number> {
  const rows = await tx.db
    .selectFrom('applications')
    .select('id')
    .where(inScope(tx))
    .where(holds(key))
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.length;
}

async function take(tx: TxCtx, key: string): Promise<void> {
  const rows = await tx.db
    .updateTable('applications')
    .set({ permissions: sql`array_remove(permissions, ${key})` })
    .where(inScope(tx))
    .where(holds(key))
    .returning('id')
    .execute();
  for (const { id } of rows) {
    // biome-ignore lint/performance/noAwaitInLoops: a project has few management clients, and a transaction one connection
    await endTokens(tx, id, {});
    await emit(tx, 'application.updated', { applicationId: id, fields: ['permissions'] });
  }
}

function holds(key: string) {
  return sql<boolean>`${key} = any(permissions)`;
}
