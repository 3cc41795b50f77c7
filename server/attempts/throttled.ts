import { emit } from '#events';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import type { NormalisedIdentifier } from '#platform/identifiers.ts';
import type { UserId, WorkspaceId } from '#platform/ids.ts';
import { countsOf, type Limit, settle } from '#platform/limits.ts';
import { inRealm, realmColumns } from '#platform/scoped.ts';
import { accountKeyOf, counters, typedKeyOf, type Way, ways } from './counters.ts';

type ThrottledPlacesTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  user_id: UserId;
  key: string;
  way: Way;
  source: string;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    throttled_places: ThrottledPlacesTable;
  }
}

/** Attempts of one kind at an account that are refused for now. `source`: only from there; null: from everywhere. */
export type Throttled = { way: Way; source: string | null; until: Date };

type Place = { userId: UserId; key: string; way: Way; source: string; seconds: number };

/** Remembers a source whose attempts at an account are refused: counters have hashed keys, which name nobody. */
export async function rememberPlace(tx: TxCtx, { userId, key, way, source, seconds }: Place): Promise<void> {
  const expires = new Date(tx.now.getTime() + seconds * 1000);
  await tx.db
    .insertInto('throttled_places')
    .values({ ...realmColumns(tx), user_id: userId, key, way, source, expires_at: expires })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'environment', 'user_id', 'key']).doUpdateSet({ expires_at: expires }),
    )
    .execute();
}

/** An account, and what can be typed to name it. */
type Account = { userId: UserId; identifiers: readonly NormalisedIdentifier[] };

/** What is refused now at an account. Served by the primary key of throttled_places and of the counters. */
export async function throttledAt(ctx: Ctx, { userId, identifiers }: Account): Promise<Throttled[]> {
  const keys = keysOf(ctx, { userId, identifiers });
  const [places, counted] = await Promise.all([
    ctx.db
      .selectFrom('throttled_places')
      .select(['way', 'source', 'expires_at as until'])
      .where(inRealm(ctx))
      .where('user_id', '=', userId)
      .where('expires_at', '>', ctx.now)
      .execute(),
    countsOf(
      ctx,
      keys.map(({ limit, key }) => [limit, key] as const),
    ),
  ]);
  const everywhere = new Map<Way, Throttled>();
  for (const [index, { limit, way }] of keys.entries()) {
    const { count = 0, until } = counted[index] ?? {};
    const isLater = until && until > ctx.now && until > (everywhere.get(way)?.until ?? ctx.now);
    if (isLater && count >= limit.points) everywhere.set(way, { way, source: null, until });
  }
  return [...places, ...everywhere.values()];
}

/** The counters of an account from everywhere, by account and by what is typed. */
function keysOf(ctx: Pick<Ctx, 'scope' | 'system'>, { userId, identifiers }: Account) {
  const { strangers, known } = counters(ctx.system);
  return ways.flatMap((way): { way: Way; limit: Limit; key: string }[] =>
    [
      accountKeyOf(ctx, way, userId),
      typedKeyOf(ctx, way, userId),
      ...identifiers.map((identifier) => typedKeyOf(ctx, way, identifier)),
    ].flatMap((key) => [strangers, known].map((limit) => ({ way, limit, key }))),
  );
}

/**
 * Lets an account be tried again.
 * @returns call after the transaction: resets the counters, which have a connection of their own
 */
export async function unlock(tx: TxCtx, account: Account): Promise<(ctx: Ctx) => Promise<void>> {
  const places = await tx.db
    .deleteFrom('throttled_places')
    .where(inRealm(tx))
    .where('user_id', '=', account.userId)
    .returning('key')
    .execute();
  await emit(tx, 'security.account_unlocked', { userId: account.userId });
  return async (ctx) => {
    const { place } = counters(ctx.system);
    const forget = [
      ...places.map(({ key }) => [place, key] as const),
      ...keysOf(ctx, account).map(({ limit, key }) => [limit, key] as const),
    ];
    await settle(ctx, { forget, giveBack: [] });
  };
}
