import { type Expression, type RawBuilder, sql } from 'kysely';
import { identifiersOf } from '#identifiers';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { folded } from '#platform/folded.ts';
import type { UserId } from '#platform/ids.ts';
import { inRealm } from '#platform/scoped.ts';
import { profileOf } from './profile-columns.ts';
import { searchTextOf } from './search-text.ts';

/** Fewer characters make no trigram. */
const TRIGRAM = 3;

/** Conditions on the people found, for statements of other parts. */
type Search = {
  /**
   * Whether a user matches. Served by the primary key; written so that the planner can't prefer an index on the text.
   */
  matches: (userId: Expression<UserId>) => RawBuilder<boolean>;
  /** The matching users, newest first. Served by users_search; meant for text that few users match. */
  newest: (ctx: Pick<Ctx, 'db'>, limit: number) => Promise<UserId[]>;
};

/**
 * Searches the users of the realm by email, phone, username or name: anywhere in a field, or only at its beginning for
 * one or two characters.
 * @returns null if nothing can match
 */
export function searchPeople({ scope }: Pick<Ctx, 'scope'>, typed: string): Search | null {
  const { workspaceId, environment } = scope;
  const plain = folded(typed);
  if (plain === '') return null;
  const text = plain.length < TRIGRAM ? `\n${plain}` : plain;
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return {
    matches: (userId) => sql<boolean>`(select position(${text} in search) > 0 from users
      where workspace_id = ${workspaceId} and environment = ${environment} and id = ${userId})`,
    newest: async ({ db }, limit) => {
      const { rows } = await sql<{ id: UserId }>`
        select id from users_matching(${`${workspaceId} ${environment}`}, ${pattern}, ${limit}) as id`.execute(db);
      return rows.map(({ id }) => id);
    },
  };
}

/** Updates the search text of a user. Called wherever an identifier or a name changes. */
export async function refreshSearch(tx: TxCtx, userId: UserId): Promise<void> {
  const row = await tx.db
    .selectFrom('users as u')
    .selectAll('u')
    .select(identifiersOf(tx, 'u').as('identifiers'))
    .where(inRealm(tx, 'u'))
    .where('u.id', '=', userId)
    .executeTakeFirst();
  if (!row) return;
  const search = searchTextOf({ ...profileOf(row), identifiers: row.identifiers.map(({ value }) => value) });
  await tx.db
    .updateTable('users')
    .set({ search })
    .where(inRealm(tx))
    .where('id', '=', userId)
    .where('search', '!=', search)
    .execute();
}
