import { type RawBuilder, sql } from 'kysely';
import { emit } from '#events';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import type { Id, UserId, WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { inRealm, realmColumns } from '#platform/scoped.ts';

export type PasskeyId = Id<'psk'>;

type PasskeysTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  id: PasskeyId;
  user_id: UserId;
  rp_id: string;
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
  device_type: string;
  backed_up: boolean;
  aaguid: string;
  name: string;
  second_factor: boolean;
  created_at: Date;
  last_used_at: Date | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    passkeys: PasskeysTable;
  }
}

export const MAX_PASSKEYS = 20;

type Reader = Pick<Ctx, 'scope' | 'db'> | Pick<TxCtx, 'scope' | 'db'>;

export async function insertPasskey(
  tx: TxCtx,
  passkey: Omit<PasskeysTable, 'workspace_id' | 'environment' | 'created_at' | 'last_used_at'>,
): Promise<void> {
  await tx.db
    .insertInto('passkeys')
    .values({
      ...realmColumns(tx),
      ...passkey,
      created_at: tx.now,
      last_used_at: null,
    })
    .execute();
}

/** A passkey as its owner sees it. */
export type Passkey = {
  id: PasskeyId;
  name: string;
  credentialId: string;
  transports: string[];
  /** Synced by a passkey provider to several devices. */
  synced: boolean;
  secondFactor: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
};

/** The passkeys of a user, newest first. Served by passkeys_of_user. */
export async function listPasskeys(ctx: Reader, userId: UserId): Promise<Passkey[]> {
  const rows = await ctx.db
    .selectFrom('passkeys')
    .select(['id', 'name', 'credential_id', 'transports', 'backed_up', 'second_factor', 'created_at', 'last_used_at'])
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    credentialId: row.credential_id,
    transports: row.transports,
    synced: row.backed_up,
    secondFactor: row.second_factor,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }));
}

/** Finds the user and passkey of a credential id. Served by passkeys_credential. */
export function findPasskeyByCredential(ctx: Reader, credentialId: string) {
  return ctx.db
    .selectFrom('passkeys')
    .select(['id', 'user_id', 'credential_id', 'public_key', 'counter', 'transports'])
    .where(inRealm(ctx))
    .where('credential_id', '=', credentialId)
    .executeTakeFirst();
}

/**
 * Records a use. Of concurrent uses with one counter value, one is recorded and the others are refused.
 * @throws Problem INVALID_CREDENTIALS
 */
export async function countUse(
  tx: TxCtx,
  id: PasskeyId,
  { from, to, backedUp }: { from: number; to: number; backedUp: boolean },
): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('passkeys')
    .set({ counter: to, backed_up: backedUp, last_used_at: tx.now })
    .where(inRealm(tx))
    .where('id', '=', id)
    .where('counter', '=', from)
    .executeTakeFirst();
  if (numUpdatedRows === 0n)
    throw problem('INVALID_CREDENTIALS', 'This passkey was used by another request at the same time. Try again.');
}

/**
 * Renames a passkey, or changes whether it is a second factor.
 * @throws Problem NOT_FOUND
 */
export async function changePasskey(
  tx: TxCtx,
  userId: UserId,
  { id, name, secondFactor }: { id: PasskeyId; name?: string; secondFactor?: boolean },
): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('passkeys')
    .set({ ...(name !== undefined && { name }), ...(secondFactor !== undefined && { second_factor: secondFactor }) })
    .where(inRealm(tx))
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw problem('NOT_FOUND');
  await emit(tx, 'user.passkey.changed', { userId, passkeyId: id });
}

/**
 * Removes a passkey.
 * @throws Problem NOT_FOUND
 */
export async function removePasskey(tx: TxCtx, userId: UserId, id: PasskeyId): Promise<void> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('passkeys')
    .where(inRealm(tx))
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw problem('NOT_FOUND');
  await emit(tx, 'user.passkey.removed', { userId, passkeyId: id });
}

/** Stops using the user's passkeys as second factors; they can still be used to sign in. */
export async function clearSecondFactorPasskeys(tx: TxCtx, userId: UserId): Promise<void> {
  await tx.db
    .updateTable('passkeys')
    .set({ second_factor: false })
    .where(inRealm(tx))
    .where('user_id', '=', userId)
    .execute();
}

/**
 * The passkeys of a user that count as a second factor, as rows `(id, type, phone)` for a statement of another part.
 * Served by passkeys_of_user.
 * @param every includes passkeys that are used only to sign in without a password
 */
export function passkeysAsFactors(
  {
    workspaceId,
    environment,
    userId,
  }: { workspaceId: WorkspaceId; environment: Environment; userId: RawBuilder<unknown> },
  every: boolean,
) {
  return sql`select id, 'passkey', null from passkeys
    where workspace_id = ${workspaceId} and environment = ${environment} and user_id = ${userId} and (second_factor or ${every})`;
}
