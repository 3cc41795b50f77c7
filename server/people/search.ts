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
/** So many of the newest users show which trigrams of a text are rare. */
const SAMPLE = 200;
/** More trigrams hardly leave fewer users, and each is a list to read. */
const MAX_TRIGRAMS = 5;

/** Conditions on the people found, for statements of other parts. */
type Search = {
  /** Whether a user matches. Served by the primary key; written so that the planner can't prefer an index on the text. */
  matches: (userId: Expression<UserId>) => RawBuilder<boolean>;
  /**
   * The matching users of a range of ids. Reading a user costs a tenth of {@link matches}. Served by the primary key.
   * @param limit at least the number of users in the range; the planner makes a hash table of so few
   */
  between: (first: Expression<unknown>, last: Expression<unknown>, limit: number) => RawBuilder<UserId>;
  /** The smallest id for which {@link between} reads at most `limit` users, not below `first`. */
  startFor: (first: Expression<unknown>, last: Expression<unknown>, limit: number) => RawBuilder<UserId>;
  /** Some `limit` of the matching users. Served by users_texts; meant for text that few users match. */
  some: (ctx: Pick<Ctx, 'db'>, limit: number) => Promise<UserId[]>;
  /** The newest `limit` matching users. It reads all of them. */
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
  const ofRealm = sql`workspace_id = ${workspaceId} and environment = ${environment}`;

  /** The trigrams of the text that are rarest among the newest users; the text itself if it has none. */
  async function rareTrigrams(ctx: Pick<Ctx, 'db'>): Promise<string[]> {
    const all = trigramsOf(text);
    if (all.length < 2) return all.length === 0 ? [text] : all;
    const { rows } = await sql<{ part: string }>`
      with sample as materialized
        (select search from users where ${ofRealm} order by id desc limit ${sql.lit(SAMPLE)})
      select part from unnest(${all}::text[]) with ordinality as parts (part, place)
      order by (select count(*) from sample where position(part in search) > 0), place
      limit ${sql.lit(MAX_TRIGRAMS)}`.execute(ctx.db);
    return rows.map(({ part }) => part);
  }

  /**
   * The realm is one expression, which no other index serves, so the planner has no choice. PostgreSQL reads on in a list only
   * where the lists before agree, if each trigram is a condition of its own; it reads all lists of one condition.
   */
  async function find(ctx: Pick<Ctx, 'db'>, end: RawBuilder<unknown>): Promise<UserId[]> {
    const conditions = (await rareTrigrams(ctx)).map((part) => sql`u.search like ${containing(part)}`);
    const { rows } = await sql<{ id: UserId }>`
      select u.id from users u where u.workspace_id || ' ' || u.environment = ${`${workspaceId} ${environment}`}
        and ${sql.join(conditions, sql` and `)} and position(${text} in u.search) > 0 ${end}`.execute(ctx.db);
    return rows.map(({ id }) => id);
  }

  return {
    matches: (userId) =>
      sql<boolean>`(select position(${text} in search) > 0 from users where ${ofRealm} and id = ${userId})`,
    between: (first, last, limit) => sql`(select id from users where ${ofRealm} and id >= ${first} and id <= ${last}
      and position(${text} in search) > 0 order by id desc limit ${sql.lit(limit)})`,
    startFor: (
      first,
      last,
      limit,
    ) => sql`coalesce((select id from users where ${ofRealm} and id >= ${first} and id <= ${last}
      order by id desc offset ${sql.lit(limit - 1)} limit 1), ${first})`,
    some: (ctx, limit) => find(ctx, sql`limit ${limit}`),
    // The plain order would tempt the planner to read all users in it.
    newest: (ctx, limit) => find(ctx, sql`order by u.id || '' desc limit ${limit}`),
  };
}

function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/**
 * Parts of a folded text of which pg_trgm makes one trigram each, or two: of words of three letters or more any three that
 * are neighbours, and a shorter word with the characters around it, as far as where it begins is known.
 */
function trigramsOf(text: string): string[] {
  const parts = [...text.matchAll(/[a-z0-9]+/g)].flatMap(({ 0: word, index }) => {
    if (word.length < TRIGRAM) return index === 0 ? [] : [text.slice(index - 1, index + word.length + 1)];
    return Array.from({ length: word.length - TRIGRAM + 1 }, (_, at) => word.slice(at, at + TRIGRAM));
  });
  return [...new Set(parts)];
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
