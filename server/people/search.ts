import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { inRealm } from '#platform/scoped.ts';
import { folded, searchTextOf } from './search-text.ts';

/** What is looked for, as {@link matches} and {@link usersMatching} take it. */
export type Search = { text: string };

/** Fewer characters make no trigram. */
const TRIGRAM = 3;

/**
 * What somebody typed to find people by email, phone, username or name: anywhere in one of them, and for one or two characters
 * at its beginning. @returns null for what nothing can match
 */
export function searchFor(typed: string): Search | null {
  const text = folded(typed);
  if (text === '') return null;
  return { text: text.length < TRIGRAM ? `\n${text}` : text };
}

/**
 * Whether a person matches: a condition for a statement of another part. Served by the primary key, which no condition on the text may
 * tempt the planner away from.
 */
export function matches(
  { scope }: Pick<Ctx, 'scope'>,
  { text }: Search,
  userId: Expression<UserId>,
): RawBuilder<boolean> {
  return sql<boolean>`(select position(${text} in search) > 0 from users
    where workspace_id = ${scope.workspaceId} and environment = ${scope.environment} and id = ${userId})`;
}

/**
 * The people of the realm who match, newest first, at most `most`, as an array for a statement of another part. Served by
 * users_search; meant for what few match.
 */
export function usersMatching({ scope }: Pick<Ctx, 'scope'>, { text }: Search, most: number): RawBuilder<UserId[]> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<
    UserId[]
  >`array(select id from users_matching(${`${scope.workspaceId} ${scope.environment}`}, ${pattern}, ${most}) as id)`;
}

/** Lets search find a person by what they are called now. Called wherever an identifier or a name changes. */
export async function refreshSearch(tx: TxCtx, userId: UserId): Promise<void> {
  const rows = await tx.db
    .selectFrom('users as u')
    .leftJoin('identifiers as i', (join) =>
      join
        .onRef('i.workspace_id', '=', 'u.workspace_id')
        .onRef('i.environment', '=', 'u.environment')
        .onRef('i.user_id', '=', 'u.id'),
    )
    .select(['u.display_name', 'u.given_name', 'u.family_name', 'i.value'])
    .where(inRealm(tx, 'u'))
    .where('u.id', '=', userId)
    .execute();
  const search = searchTextOf({
    identifiers: rows.flatMap(({ value }) => (value === null ? [] : [value])),
    displayName: rows[0]?.display_name ?? null,
    givenName: rows[0]?.given_name ?? null,
    familyName: rows[0]?.family_name ?? null,
  });
  await tx.db
    .updateTable('users')
    .set({ search })
    .where(inRealm(tx))
    .where('id', '=', userId)
    .where('search', '!=', search)
    .execute();
}
