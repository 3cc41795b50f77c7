import { sql } from 'kysely';
import { emitAll } from '#events';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { newId, type UserId } from '#platform/ids.ts';
import { inRealm } from '#platform/scoped.ts';
import { accountKey, spellingsOf } from './issuer-spellings.ts';
import type { UpstreamAccount } from './linked-identities.ts';

type Account = Pick<UpstreamAccount, 'issuer' | 'subject'>;

/**
 * The users that accounts are linked to. Served by the primary key. Runs no statement without accounts.
 * @returns by the key of the account
 */
async function owners(tx: TxCtx, accounts: readonly Account[]): Promise<Map<string, UserId>> {
  if (accounts.length === 0) return new Map();
  const wanted = accounts.flatMap(({ issuer, subject }) => spellingsOf(issuer).map((form) => ({ form, subject })));
  const { rows } = await sql<Account & { userId: UserId }>`
    select found.issuer, found.subject, found.user_id as "userId"
    from unnest(${wanted.map(({ form }) => form)}::text[], ${wanted.map(({ subject }) => subject)}::text[])
      as wanted (issuer, subject)
    cross join lateral (
      select issuer, subject, user_id from linked_identities
      where workspace_id = ${tx.scope.workspaceId} and environment = ${tx.scope.environment}
        and issuer = wanted.issuer and subject = wanted.subject collate "C"
      offset 0) found`.execute(tx.db);
  return new Map(rows.map(({ userId, ...account }) => [accountKey(account), userId]));
}

/** Links accounts that are not linked yet, with an event for each. */
async function insert(tx: TxCtx, links: readonly (UpstreamAccount & { userId: UserId })[]): Promise<void> {
  if (links.length === 0) return;
  const { workspaceId, environment } = tx.scope;
  const rows = links.map((link) => ({ ...link, id: newId('idn', tx.now) }));
  const column = (name: 'issuer' | 'subject' | 'id' | 'userId' | 'provider' | 'email') =>
    sql`${rows.map((row) => row[name])}::text[]`;
  await sql`insert into linked_identities
      (workspace_id, environment, issuer, subject, id, user_id, provider, email, linked_at, last_used_at)
    select ${workspaceId}, ${environment}, issuer, subject, id, user_id, provider, email, ${tx.now}, ${tx.now}
    from unnest(${column('issuer')}, ${column('subject')}, ${column('id')}, ${column('userId')}, ${column('provider')},
      ${column('email')}) as link (issuer, subject, id, user_id, provider, email)`.execute(tx.db);
  await emitAll(
    tx,
    rows.map(({ userId, id, provider, issuer }) => ({
      type: 'identity.linked' as const,
      data: { userId, identityId: id, provider, issuer },
    })),
  );
}

/** The linked accounts of many users, oldest first. Served by linked_identities_of_user. */
async function ofUsers(
  ctx: Pick<Ctx, 'scope' | 'db'>,
  users: readonly UserId[],
): Promise<(UpstreamAccount & { userId: UserId })[]> {
  return ctx.db
    .selectFrom('linked_identities')
    .select(['user_id as userId', 'provider', 'issuer', 'subject', 'email'])
    .where(inRealm(ctx))
    .where('user_id', '=', sql<UserId>`any(${[...users]})`)
    .orderBy('id')
    .execute();
}

/** The accounts at identity providers that an import or export carries, many at once: a fixed number of statements. */
export const identitiesInBulk = { keyOf: accountKey, owners, insert, ofUsers };
