import { type RawBuilder, type SelectType, sql } from 'kysely';
import { passwordHashOf } from '#passwords';
import type { TxCtx } from '#platform/ctx.ts';
import { storedForms } from '#platform/email-address.ts';
import type { NormalisedIdentifier } from '#platform/identifiers.ts';
import type { UserId } from '#platform/ids.ts';
import { inRealm } from '#platform/scoped.ts';

export type SignInCandidate = { userId: UserId; hash: string | null; verified: boolean; value: string };

/**
 * Reads the user of an identifier, the password hash to check and one column more, in one statement. Served by primary
 * keys.
 * @param about what the caller wants to know of the user with this id
 */
export async function findSignInCandidate<About>(
  tx: Pick<TxCtx, 'scope'> & { db: Pick<TxCtx['db'], 'selectFrom'> },
  { kind, value }: NormalisedIdentifier,
  about: (userId: RawBuilder<unknown>) => RawBuilder<About>,
): Promise<(SignInCandidate & { about: SelectType<About> }) | undefined> {
  const row = await tx.db
    .selectFrom('identifiers as i')
    .select(['i.user_id', 'i.value', sql<boolean>`i.verified_at is not null`.as('verified')])
    .select(passwordHashOf(tx, 'i', 'user_id').as('hash'))
    .select(about(sql.ref('i.user_id')).as('about'))
    .where(inRealm(tx, 'i'))
    .where('i.kind', '=', kind)
    .where('i.value', 'in', storedForms(value))
    .executeTakeFirst();
  if (!row) return undefined;
  const { user_id: userId, hash, verified, value: stored } = row;
  return { userId, hash, verified, value: stored, about: row.about };
}
