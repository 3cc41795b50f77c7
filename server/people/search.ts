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
/** The number of newest users in whose texts trigrams are counted, to find the rare ones. */
const SAMPLE = 200;
/** A trigram that more users of the sample have excludes too few people to be worth reading its list. */
const MAX_IN_SAMPLE = SAMPLE / 20;
/** The maximum number of trigrams that the index is asked for. */
const MAX_TRIGRAMS = 5;

/** Conditions on the people found, for statements of other parts. */
type Search = {
  /** Whether a user matches. Served by the primary key; written so that the planner can't prefer an index on the text. */
  matches: (userId: Expression<UserId>) => RawBuilder<boolean>;
  /**
   * The matching users of a range of ids, for a tenth of the cost of {@link matches} for each. Served by the primary key.
   * @param limit at least the number of users in the range: it tells the planner that a hash table can hold them
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
  const ofRange = (first: Expression<unknown>, last: Expression<unknown>) =>
    sql`${ofRealm} and id >= ${first} and id <= ${last}`;

  /**
   * The rarest trigram of each word, then other rare ones. People who have one trigram of a word mostly have the others too, so a
   * trigram of another word excludes more people.
   * @returns the text itself if it has no trigrams
   */
  async function rareTrigrams(ctx: Pick<Ctx, 'db'>): Promise<string[]> {
    const all = trigramsOf(text);
    if (all.length < 2) return all.length === 0 ? [text] : all.map(({ part }) => part);
    const { rows } = await sql<{ part: string }>`
      with sample as materialized
        (select search from users where ${ofRealm} order by id desc limit ${sql.lit(SAMPLE)}),
      counted as materialized
        (select part, word, place, (select count(*) from sample where position(part in search) > 0) as count
        from unnest(${all.map(({ part }) => part)}::text[], ${all.map(({ word }) => word)}::integer[])
          with ordinality as parts (part, word, place))
      select part from (select *, row_number() over (partition by word order by count, place) > 1 as further from counted) as ranked
      where not further or count <= ${sql.lit(MAX_IN_SAMPLE)}
      order by further, count, place
      limit ${sql.lit(MAX_TRIGRAMS)}`.execute(ctx.db);
    return rows.map(({ part }) => part);
  }

  /**
   * No other index serves the realm as one expression, so the planner has no choice. Each trigram is a condition of its own:
   * of several conditions PostgreSQL reads on only where those before agree, of one condition it reads all lists.
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
    between: (first, last, limit) => sql`(select id from users where ${ofRange(first, last)}
      and position(${text} in search) > 0 order by id desc limit ${sql.lit(limit)})`,
    startFor: (first, last, limit) =>
      sql`coalesce((select id from users where ${ofRange(first, last)}
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
 * The parts of a folded text that the index can look for: pg_trgm makes one or two trigrams of each. A word of three characters
 * or more gives every three in a row. A shorter word is a part with the characters around it. At the beginning of the text it
 * gives none, because it may be the end of a longer word.
 * @returns the parts, each with the position in the text of the word that it belongs to
 */
function trigramsOf(text: string): { part: string; word: number }[] {
  const parts = [...text.matchAll(/[a-z0-9]+/g)].flatMap(({ 0: word, index }) => {
    if (word.length < TRIGRAM)
      return index === 0 ? [] : [[text.slice(index - 1, index + word.length + 1), index] as const];
    return Array.from({ length: word.length - TRIGRAM + 1 }, (_, at) => [word.slice(at, at + TRIGRAM), index] as const);
  });
  return [...new Map(parts)].map(([part, word]) => ({ part, word }));
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
