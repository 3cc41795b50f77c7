import { randomBytes } from 'node:crypto';
import { type Generated, sql } from 'kysely';
import { emit } from '#events';
import { lastingTags } from '#lasting-tags';
import type { Environment, TxCtx } from '#platform/ctx.ts';
import type { UserId, WorkspaceId } from '#platform/ids.ts';
import { inRealm, realmColumns } from '#platform/scoped.ts';

type RecoveryCodesTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  user_id: UserId;
  hash: Buffer;
  created_at: Date;
  used_at: Generated<Date | null>;
};

declare module '#platform/db.ts' {
  interface Tables {
    recovery_codes: RecoveryCodesTable;
  }
}

const CODES = 10;
/** Without letters that look like digits. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/**
 * Creates ten look-up secrets of 59 bits, which replace all previous ones (NIST SP 800-63B-4 §3.1.2).
 * @returns the codes, shown once
 */
export async function newRecoveryCodes(tx: TxCtx, userId: UserId): Promise<string[]> {
  await removeRecoveryCodes(tx, userId);
  const codes = Array.from({ length: CODES }, newCode);
  await tx.db
    .insertInto('recovery_codes')
    .values(
      await Promise.all(
        codes.map(async (code) => ({
          ...realmColumns(tx),
          user_id: userId,
          hash: (await hashesOf(tx, userId, code))[0],
          created_at: tx.now,
        })),
      ),
    )
    .execute();
  await emit(tx, 'user.recovery_codes.created', { userId });
  return codes;
}

function newCode(): string {
  const letters = Array.from(randomBytes(12), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return [letters.slice(0, 4), letters.slice(4, 8), letters.slice(8)].join('-');
}

function textOf(userId: UserId, code: string): string {
  return `${userId} ${code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')}`;
}

/** What is stored for a code: the first for a new one, any of them for one that was created earlier. */
function hashesOf(tx: TxCtx, userId: UserId, code: string): Promise<[Buffer, ...Buffer[]]> {
  return lastingTags(tx, { workspaceId: tx.scope.workspaceId, purpose: 'recovery-code', text: textOf(userId, code) });
}

/** Spends a recovery code; exactly one of several concurrent calls with the same code succeeds. */
export async function useRecoveryCode(tx: TxCtx, userId: UserId, code: string): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('recovery_codes')
    .set({ used_at: tx.now })
    .where(inRealm(tx))
    .where('user_id', '=', userId)
    // Also matches codes that were created with a key that is retired since.
    .where('hash', '=', sql<Buffer>`any(${await hashesOf(tx, userId, code)}::bytea[])`)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await emit(tx, 'user.recovery_code.used', { userId });
  return true;
}

/** How many codes a user has left. Served by the primary key. */
export async function recoveryCodesLeft(
  ctx: Pick<TxCtx, 'scope'> & { db: Pick<TxCtx['db'], 'selectFrom'> },
  userId: UserId,
): Promise<number> {
  const rows = await ctx.db
    .selectFrom('recovery_codes')
    .select('used_at')
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute();
  return rows.length;
}

export async function removeRecoveryCodes(tx: TxCtx, userId: UserId): Promise<void> {
  await tx.db.deleteFrom('recovery_codes').where(inRealm(tx)).where('user_id', '=', userId).execute();
}
