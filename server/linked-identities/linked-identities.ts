import { emit } from '#events';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import { isUniqueViolation } from '#platform/db.ts';
import { type Id, newId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import { type Problem, problem } from '#platform/problem.ts';
import { inRealm, realmColumns } from '#platform/scoped.ts';
import { spellingsOf } from './issuer-spellings.ts';

export type LinkedIdentityId = Id<'idn'>;

type LinkedIdentitiesTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  issuer: string;
  subject: string;
  id: LinkedIdentityId;
  user_id: UserId;
  provider: string;
  email: string | null;
  linked_at: Date;
  last_used_at: Date;
  /** When the person last confirmed the link by a proof of their own; null if they never did. */
  proven_at: Date | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    linked_identities: LinkedIdentitiesTable;
  }
}

/** An account at an identity provider, identified by issuer and subject only (AU-8; OpenID Connect Core §5.7). */
export type UpstreamAccount = { provider: string; issuer: string; subject: string; email: string | null };

type Reader = Pick<Ctx, 'scope' | 'db'> | Pick<TxCtx, 'scope' | 'db'>;

/** Finds the user an account is linked to. Served by the primary key. */
export async function findLinkedUser(
  ctx: Reader,
  { issuer, subject }: Pick<UpstreamAccount, 'issuer' | 'subject'>,
): Promise<UserId | undefined> {
  const row = await ctx.db
    .selectFrom('linked_identities')
    .select('user_id')
    .where(inRealm(ctx))
    .where('issuer', 'in', spellingsOf(issuer))
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row?.user_id;
}

/** The users who have an account at an issuer. Served by the primary key. */
export async function usersOfIssuer(ctx: Reader, issuer: string): Promise<UserId[]> {
  const rows = await ctx.db
    .selectFrom('linked_identities')
    .select('user_id')
    .distinct()
    .where(inRealm(ctx))
    .where('issuer', '=', issuer)
    .execute();
  return rows.map((row) => row.user_id);
}

/** Unlinks every account at an issuer that is gone. Served by the primary key. */
export async function unlinkIssuer(tx: TxCtx, issuer: string): Promise<void> {
  await tx.db.deleteFrom('linked_identities').where(inRealm(tx)).where('issuer', '=', issuer).execute();
}

/**
 * Links an account to a user. `proven`: the person asked for it, with a proof of the account.
 * @throws Problem ALREADY_EXISTS if it is linked already
 */
export async function linkIdentity(
  tx: TxCtx,
  userId: UserId,
  { provider, issuer, subject, email }: UpstreamAccount,
  { proven = false }: { proven?: boolean } = {},
): Promise<LinkedIdentityId> {
  const id = newId('idn', tx.now);
  if (await findLinkedUser(tx, { issuer, subject })) throw linkedAlready();
  try {
    await tx.db
      .insertInto('linked_identities')
      .values({
        ...realmColumns(tx),
        provider,
        issuer,
        subject,
        email,
        id,
        user_id: userId,
        linked_at: tx.now,
        last_used_at: tx.now,
        proven_at: proven ? tx.now : null,
      })
      .execute();
  } catch (error) {
    throw isUniqueViolation(error, 'linked_identities_pkey') ? linkedAlready() : error;
  }
  await emit(tx, 'identity.linked', { userId, identityId: id, provider, issuer });
  return id;
}

/**
 * Records that a person confirmed an account that is linked to them already, by a proof of their own.
 * @returns undefined if it is not linked to them
 */
export async function identityProven(
  tx: TxCtx,
  userId: UserId,
  { issuer, subject }: Pick<UpstreamAccount, 'issuer' | 'subject'>,
): Promise<LinkedIdentityId | undefined> {
  const row = await tx.db
    .updateTable('linked_identities')
    .set({ proven_at: tx.now })
    .where(inRealm(tx))
    .where('issuer', 'in', spellingsOf(issuer))
    .where('subject', '=', subject)
    .where('user_id', '=', userId)
    .returning(['id', 'provider'])
    .executeTakeFirst();
  if (row) await emit(tx, 'identity.confirmed', { userId, identityId: row.id, provider: row.provider });
  return row?.id;
}

function linkedAlready(): Problem {
  return problem('ALREADY_EXISTS', 'This provider account is already linked to an account.');
}

/**
 * Records a sign-in through the account, and its current email address.
 * @returns when its person last confirmed it
 */
export async function identityUsed(
  tx: TxCtx,
  { issuer, subject, email }: UpstreamAccount,
): Promise<{ provenAt: Date | null } | undefined> {
  return tx.db
    .updateTable('linked_identities')
    .set({ last_used_at: tx.now, email })
    .where(inRealm(tx))
    .where('issuer', 'in', spellingsOf(issuer))
    .where('subject', '=', subject)
    .returning('proven_at as provenAt')
    .executeTakeFirst();
}

/** The issuers of the linked accounts of a user, with when the person last confirmed each. Served by linked_identities_of_user. */
export async function issuersOf(ctx: Reader, userId: UserId): Promise<{ issuer: string; provenAt: Date | null }[]> {
  return ctx.db
    .selectFrom('linked_identities')
    .select(['issuer', 'proven_at as provenAt'])
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .execute();
}

/** The linked accounts of a user, newest first; a person has few. Served by linked_identities_of_user. */
export async function listIdentities(ctx: Reader, userId: UserId) {
  const rows = await ctx.db
    .selectFrom('linked_identities')
    .select(['id', 'provider', 'issuer', 'subject', 'email', 'linked_at'])
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .execute();
  return rows.map(({ linked_at: linked, ...row }) => ({ ...row, linkedAt: linked.toISOString() }));
}

/**
 * Unlinks an account.
 * @throws Problem NOT_FOUND
 */
export async function unlinkIdentity(tx: TxCtx, userId: UserId, id: LinkedIdentityId): Promise<void> {
  const removed = await tx.db
    .deleteFrom('linked_identities')
    .where(inRealm(tx))
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('provider')
    .executeTakeFirst();
  if (!removed) throw problem('NOT_FOUND');
  await emit(tx, 'identity.unlinked', { userId, identityId: id, provider: removed.provider });
}
