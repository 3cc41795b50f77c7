import { sql } from 'kysely';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import { type Id, newId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { problem } from '#platform/problem.ts';
import { inRealm, realmColumns } from '#platform/scoped.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';

export type DeviceId = Id<'dev'>;

type RememberedDevicesTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  id: DeviceId;
  user_id: UserId;
  hash: Buffer;
  ip: string | null;
  user_agent: string | null;
  created_at: Date;
  last_used_at: Date;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    remembered_devices: RememberedDevicesTable;
  }
}

/**
 * Remembers a device, which skips the second factor until `expires_at`.
 * @returns its token: shown once, stored as a hash
 */
export async function rememberDevice(tx: TxCtx, userId: UserId, seconds: number): Promise<string> {
  const token = `lkd_${randomSecret()}`;
  await tx.db
    .insertInto('remembered_devices')
    .values({
      ...realmColumns(tx),
      id: newId('dev', tx.now),
      user_id: userId,
      hash: hashSecret(token),
      ip: tx.trace.ip,
      user_agent: tx.trace.userAgent,
      created_at: tx.now,
      last_used_at: tx.now,
      expires_at: new Date(tx.now.getTime() + seconds * 1000),
    })
    .execute();
  return token;
}

/** Finds the user's remembered device by its token and records its use. Served by remembered_devices_hash. */
export async function useRememberedDevice(tx: TxCtx, userId: UserId, token: string): Promise<DeviceId | null> {
  const row = await tx.db
    .updateTable('remembered_devices')
    .set({ last_used_at: tx.now })
    .where(inRealm(tx))
    .where('hash', '=', hashSecret(token))
    .where('user_id', '=', userId)
    .where('expires_at', '>', tx.now)
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Whether a device of this user is still remembered. Served by the primary key. */
export async function isRemembered(ctx: Pick<Ctx, 'db' | 'scope' | 'now'>, userId: UserId, id: DeviceId) {
  const row = await ctx.db
    .selectFrom('remembered_devices')
    .select('id')
    .where(inRealm(ctx))
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('expires_at', '>', ctx.now)
    .executeTakeFirst();
  return row !== undefined;
}

/** The live remembered devices of a user, newest first. Served by remembered_devices_of_user. */
export async function listDevices(ctx: Ctx, userId: UserId) {
  const rows = await ctx.db
    .selectFrom('remembered_devices')
    .select(['id', 'ip', 'user_agent', 'created_at', 'last_used_at', 'expires_at'])
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .where('expires_at', '>', ctx.now)
    .orderBy('id', 'desc')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    ip: row.ip,
    userAgent: row.user_agent,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  }));
}

/**
 * Deletes one remembered device of a user, or all.
 * @throws Problem NOT_FOUND if it does not exist
 */
export async function removeDevices(tx: TxCtx, userId: UserId, which: DeviceId | 'all'): Promise<void> {
  let query = tx.db.deleteFrom('remembered_devices').where(inRealm(tx)).where('user_id', '=', userId);
  if (which !== 'all') query = query.where('id', '=', which);
  const { numDeletedRows } = await query.executeTakeFirst();
  if (which !== 'all' && numDeletedRows === 0n) throw problem('NOT_FOUND');
}

/** Deletes expired remembered devices. Runs as a job. */
export async function removeDeadDevices(system: System): Promise<void> {
  const now = system.clock.now();
  await sql`delete from remembered_devices where expires_at < ${now} /* all workspaces */`.execute(
    singleWrite(system, 'clean-up'),
  );
}
