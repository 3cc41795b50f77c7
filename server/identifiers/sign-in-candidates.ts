import { sql } from 'kysely';
import { passwordHashOf } from '#passwords';
import type { TxCtx } from '#platform/ctx.ts';
import { storedForms } from '#platform/email-address.ts';
import type { NormalisedIdentifier } from '#platform/identifiers.ts';
import type { UserId } from '#platform/ids.ts';
import { inRealm } from '#platform/scoped.ts';

export type SignInCandidate = { userId: UserId; hash: string | null; verified: boolean; value: string };

/** Reads the user of an identifier and the password hash to check, in one statement. Served by primary keys. */
export async function findSignInCandidate(
  tx: Pick<TxCtx, 'scope'> & { db: Pick<TxCtx['db'], 'selectFrom'> },
  { kind, value }: NormalisedIdentifier,
): Promise<SignInCandidate | undefined> {
  const row = await tx.db
    .selectFrom('identifiers as i')
    .select(['i.user_id', 'i.value', sql<boolean>`i.verified_at is not null`.as('verified')])
    .select(passwordHashOf('i', 'user_id').as('hash'))
    .where(inRealm(tx, 'i'))
    .where('i.kind', '=', kind)
    .where('i.value', 'in', storedForms(value))
    .executeTakeFirst();
  return row && { userId: row.user_id, hash: row.hash, verified: row.verified, value: row.value };
}
