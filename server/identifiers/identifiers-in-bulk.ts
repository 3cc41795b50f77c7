import { sql } from 'kysely';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { storedForms } from '#platform/email-address.ts';
import type { IdentifierKind, NormalisedIdentifier } from '#platform/identifiers.ts';
import type { UserId } from '#platform/ids.ts';

/**
 * The users of these identifiers. Looks up each in the primary key separately, so that the plan doesn't depend on
 * statistics.
 * @param which `verified`: without those who have not proven that the address is theirs
 * @returns by kind and value, as {@link keyOf} writes them
 */
export async function ownersOfIdentifiers(
  ctx: Pick<Ctx, 'db' | 'scope'> | Pick<TxCtx, 'db' | 'scope'>,
  identifiers: readonly NormalisedIdentifier[],
  which: 'all' | 'verified' = 'all',
): Promise<Map<string, UserId>> {
  const wanted = identifiers.flatMap(({ kind, value }) =>
    storedForms(value).map((stored) => ({ kind, value, stored })),
  );
  const { rows } = await sql<{ kind: IdentifierKind; value: string; userId: UserId }>`
    select wanted.kind, wanted.value, found.user_id as "userId"
    from unnest(${wanted.map(({ kind }) => kind)}::text[], ${wanted.map(({ value }) => value)}::text[],
      ${wanted.map(({ stored }) => stored)}::text[]) as wanted (kind, value, stored)
    cross join lateral (
      select user_id from identifiers
      where workspace_id = ${ctx.scope.workspaceId} and environment = ${ctx.scope.environment}
        and kind = wanted.kind and value = wanted.stored collate "C" and (${which === 'all'} or verified_at is not null)
      offset 0) found`.execute(ctx.db);
  return new Map(rows.map(({ userId, ...identifier }) => [keyOf(identifier), userId]));
}

function keyOf({ kind, value }: NormalisedIdentifier): string {
  return `${kind} ${value}`;
}

type NewIdentifier = { userId: UserId; kind: IdentifierKind; value: string; verified: boolean };

/** Adds identifiers of many users in one statement; the caller has looked up their owners. */
export async function addIdentifiers(tx: TxCtx, identifiers: readonly NewIdentifier[]): Promise<void> {
  const { workspaceId, environment } = tx.scope;
  await sql`insert into identifiers (workspace_id, environment, kind, value, user_id, verified_at, created_at)
    select ${workspaceId}, ${environment}, kind, value, user_id, case when verified then ${tx.now}::timestamptz end, ${tx.now}
    from unnest(${identifiers.map(({ kind }) => kind)}::text[], ${identifiers.map(({ value }) => value)}::text[],
      ${identifiers.map(({ userId }) => userId)}::text[], ${identifiers.map(({ verified }) => verified)}::boolean[])
      as identifier (kind, value, user_id, verified)`.execute(tx.db);
}
