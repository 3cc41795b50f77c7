import { type RawBuilder, sql } from 'kysely';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import { isUniqueViolation } from '#platform/db.ts';
import { storedForms } from '#platform/email-address.ts';
import { type IdentifierKind, type NormalisedIdentifier, normaliseEmail } from '#platform/identifiers.ts';
import type { UserId, WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { inRealm, realmColumns } from '#platform/scoped.ts';

type IdentifiersTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  kind: IdentifierKind;
  value: string;
  user_id: UserId;
  verified_at: Date | null;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    identifiers: IdentifiersTable;
  }
}

export type FoundIdentifier = { userId: UserId; kind: IdentifierKind; value: string; verified: boolean };

/** Finds the user of an identifier in the realm. Served by the primary key. */
export async function findIdentifier(
  ctx: Pick<Ctx, 'scope'> & { db: Ctx['db'] },
  { kind, value }: NormalisedIdentifier,
): Promise<FoundIdentifier | undefined> {
  const row = await ctx.db
    .selectFrom('identifiers')
    .select(['user_id', 'kind', 'value', 'verified_at'])
    .where(inRealm(ctx))
    .where('kind', '=', kind)
    .where('value', 'in', storedForms(value))
    .executeTakeFirst();
  return row && { userId: row.user_id, kind: row.kind, value: row.value, verified: row.verified_at !== null };
}

/**
 * Adds an identifier to a user. Addresses are validated and normalised here, whichever caller they come from.
 * @throws Problem ALREADY_EXISTS when it is taken in the realm, VALIDATION_FAILED
 */
export async function addIdentifier(
  tx: TxCtx,
  userId: UserId,
  identifier: { kind: IdentifierKind; value: string; verified: boolean },
): Promise<void> {
  const { kind, value } = identifier;
  if (kind === 'email' && normaliseEmail(value) !== value) throw new Error('unreachable: the address was normalised');
  // The address may be stored in another form, in which case the primary key can't detect the conflict.
  if (storedForms(value).length > 1 && (await findIdentifier(tx, { kind, value }))) throw takenBy(kind);
  await insertIdentifier(tx, userId, identifier);
}

function takenBy(kind: IdentifierKind): Error {
  return problem('ALREADY_EXISTS', `This ${kind} belongs to another account.`);
}

async function insertIdentifier(
  tx: TxCtx,
  userId: UserId,
  identifier: { kind: IdentifierKind; value: string; verified: boolean },
): Promise<void> {
  try {
    await tx.db
      .insertInto('identifiers')
      .values({
        ...realmColumns(tx),
        kind: identifier.kind,
        value: identifier.value,
        user_id: userId,
        verified_at: identifier.verified ? tx.now : null,
        created_at: tx.now,
      })
      .execute();
  } catch (error) {
    throw isUniqueViolation(error, 'identifiers_pkey') ? takenBy(identifier.kind) : error;
  }
}

/**
 * Replaces a user's identifier of this kind; null removes it.
 * @returns the previous one
 * @throws Problem ALREADY_EXISTS, VALIDATION_FAILED
 */
export async function replaceIdentifier(
  tx: TxCtx,
  userId: UserId,
  { kind, value, verified }: { kind: IdentifierKind; value: string | null; verified: boolean },
): Promise<string | null> {
  const before = await tx.db
    .deleteFrom('identifiers')
    .where(inRealm(tx))
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .returning('value')
    .executeTakeFirst();
  if (value !== null) {
    // A user may keep their address, even if it predates the parsing of addresses.
    const give = before?.value === value ? insertIdentifier : addIdentifier;
    await give(tx, userId, { kind, value, verified });
  }
  return before?.value ?? null;
}

/**
 * Marks an address as verified.
 * @returns false if the user no longer has it, or it was verified before
 */
export async function markVerified(tx: TxCtx, userId: UserId, address: string): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('identifiers')
    .set({ verified_at: tx.now })
    .where(inRealm(tx))
    .where('user_id', '=', userId)
    .where('value', 'in', storedForms(address))
    .where('verified_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * The identifiers of a user of the realm, as a column of another part's statement. It names the workspace itself, so that the whole
 * statement is known to concern one.
 * @param user the alias of the row of `users`. Served by identifiers_of_user
 */
export function identifiersOf(
  { scope: { workspaceId, environment } }: Pick<Ctx, 'scope'>,
  user: string,
): RawBuilder<{ kind: IdentifierKind; value: string; verified: boolean }[]> {
  return sql`(
    select coalesce(json_agg(json_build_object('kind', kind, 'value', value, 'verified', verified_at is not null)), '[]')
    from identifiers
    where workspace_id = ${workspaceId} and environment = ${environment} and user_id = ${sql.ref(`${user}.id`)})`;
}

/** Every identifier of a user, and when it was verified. Served by identifiers_of_user. */
export async function addressesOf(ctx: Pick<Ctx, 'scope' | 'db'> | Pick<TxCtx, 'scope' | 'db'>, userId: UserId) {
  const rows = await ctx.db
    .selectFrom('identifiers')
    .select(['kind', 'value', 'verified_at as verifiedAt', 'created_at as addedAt'])
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .execute();
  return rows.map(({ kind, value, verifiedAt, addedAt }) => ({
    kind,
    value,
    verifiedAt: verifiedAt?.toISOString() ?? null,
    addedAt: addedAt.toISOString(),
  }));
}
