import { type RawBuilder, type SelectType, sql } from 'kysely';
import { Type } from 'typebox';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import type { UserId, WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { inRealm, realmColumns } from '#platform/scoped.ts';
import type { Settings } from '#settings';
import { isBreached, isCommon } from './breached-passwords.ts';

type PasswordsTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  user_id: UserId;
  hash: string;
  changed_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    passwords: PasswordsTable;
  }
}

/** Accepts more than the policy does: it only limits the work (ASVS 6.2.9). */
export const Password = Type.String({ minLength: 1, maxLength: 1024, examples: ['correct horse battery staple'] });

/** NIST SP 800-63B-4 §3.1.1.1: 15 characters if the password is the only factor, 8 if a second one is required. */
const SINGLE_FACTOR_MINIMUM = 15;
const MULTI_FACTOR_MINIMUM = 8;

/** The fewest characters a new password needs in a scope with these settings (PW-1). */
export function minimumLength(settings: Settings): number {
  const floor = settings.mfa === 'required' ? MULTI_FACTOR_MINIMUM : SINGLE_FACTOR_MINIMUM;
  return Math.max(floor, settings.passwordMinLength);
}

/**
 * Checks a new password: its length in Unicode code points, and that it is not easy to guess. There are no other rules
 * (ASVS 6.2.5).
 * @param about what attackers know of the person, such as the email address
 * @throws Problem WEAK_PASSWORD
 */
export async function checkPolicy(
  ctx: Pick<Ctx, 'system' | 'trace'>,
  settings: Settings,
  password: string,
  about: readonly string[] = [],
): Promise<void> {
  const minimum = minimumLength(settings);
  const plain = password.normalize('NFKC');
  const { length } = [...plain];
  if (length < minimum)
    throw weak(
      `The password has ${length} characters; at least ${minimum} are needed. A few random words make a good one.`,
      minimum,
    );
  const personal = about.some((fact) => plain.toLowerCase() === fact.toLowerCase());
  if (personal || isCommon(plain) || (await isBreached(ctx, plain)))
    throw weak(
      'Many people have used this password, or it is known from a breach, so it would be guessed early. Choose another.',
      minimum,
    );
}

function weak(detail: string, minimumLength: number) {
  return problem('WEAK_PASSWORD', {
    detail,
    extensions: { minimumLength, errors: [{ pointer: '/body/password', message: detail }] },
  });
}

/** Stores a user's password hash. */
export async function setPassword(tx: TxCtx, userId: UserId, hash: string): Promise<void> {
  await tx.db
    .insertInto('passwords')
    .values({ ...realmColumns(tx), user_id: userId, hash, changed_at: tx.now })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'environment', 'user_id']).doUpdateSet({ hash, changed_at: tx.now }),
    )
    .execute();
}

/**
 * The password hash of the user of a row, or null, as a column of another part's statement. Served by the primary key.
 * @param row the alias of a table with the id of a user of the realm
 */
export function passwordHashOf({ scope }: Pick<Ctx, 'scope'>, row: string, userId: 'user_id' | 'id') {
  return sql<string | null>`(select p.hash from passwords p where p.workspace_id = ${scope.workspaceId}
    and p.environment = ${scope.environment} and p.user_id = ${sql.ref(`${row}.${userId}`)})`;
}

/**
 * Replaces the hash after a sign-in with the same password.
 * @returns false if it was changed concurrently
 */
export async function upgradeHash(tx: TxCtx, userId: UserId, hashes: { from: string; to: string }): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('passwords')
    .set({ hash: hashes.to })
    .where(inRealm(tx))
    .where('user_id', '=', userId)
    .where('hash', '=', hashes.from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Locks a checked password until the transaction ends, so that it can't be changed concurrently, and reads one column
 * more in the same statement.
 * @param about what the caller wants to know of the user with this id
 * @returns undefined if the password was changed since the check
 */
export async function holdPassword<About>(
  tx: TxCtx,
  { userId, hash }: { userId: UserId; hash: string },
  about: (userId: RawBuilder<unknown>) => RawBuilder<About>,
): Promise<{ about: SelectType<About> } | undefined> {
  return tx.db
    .selectFrom('passwords')
    .select(about(sql.ref('passwords.user_id')).as('about'))
    .where(inRealm(tx))
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .forShare()
    .executeTakeFirst();
}

/** A user's password, if there is one. Served by the primary key. */
export async function findPassword(
  ctx: Pick<TxCtx, 'scope'> & { db: Pick<TxCtx['db'], 'selectFrom'> },
  userId: UserId,
): Promise<{ hash: string; changedAt: Date } | undefined> {
  return ctx.db
    .selectFrom('passwords')
    .select(['hash', 'changed_at as changedAt'])
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** Stores the hashes of users who have no password yet, in one statement. */
export async function setPasswords(
  tx: TxCtx,
  passwords: readonly { id: UserId; passwordHash: string }[],
): Promise<void> {
  if (passwords.length === 0) return;
  await sql`insert into passwords (workspace_id, environment, user_id, hash, changed_at)
    select ${tx.scope.workspaceId}, ${tx.scope.environment}, user_id, hash, ${tx.now}
    from unnest(${passwords.map(({ id }) => id)}::text[], ${passwords.map(({ passwordHash }) => passwordHash)}::text[])
      as password (user_id, hash)`.execute(tx.db);
}
