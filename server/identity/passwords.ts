import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Environment, TxCtx } from '#platform/ctx.ts';
import type { UserId, WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { Settings } from '#tenancy';

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

/** What a client may send: the policy decides what is accepted, this only bounds the work (ASVS 6.2.9). */
export const Password = Type.String({ minLength: 1, maxLength: 1024, examples: ['correct horse battery staple'] });

/** NIST SP 800-63B-4 §3.1.1.1: 15 characters where the password is the only factor, 8 where a second one is enforced. */
const SINGLE_FACTOR_MINIMUM = 15;
const MULTI_FACTOR_MINIMUM = 8;

/** The fewest characters a new password needs in a scope with these settings (PW-1). */
export function minimumLength(settings: Settings): number {
  const floor = settings.mfa === 'required' ? MULTI_FACTOR_MINIMUM : SINGLE_FACTOR_MINIMUM;
  return Math.max(floor, settings.passwordMinLength);
}

/** Checks a new password; characters are Unicode code points. @throws Problem WEAK_PASSWORD */
export function checkPolicy(settings: Settings, password: string): void {
  const minimum = minimumLength(settings);
  const length = [...password.normalize('NFKC')].length;
  if (length >= minimum) return;
  const detail = `The password has ${length} characters; at least ${minimum} are needed. A few random words make a good one.`;
  throw problem('WEAK_PASSWORD', {
    detail,
    extensions: { minimumLength: minimum, errors: [{ pointer: '/body/password', message: detail }] },
  });
}

/** Sets a user's password to an already made hash. */
export async function setPassword(tx: TxCtx, userId: UserId, hash: string): Promise<void> {
  const { workspaceId, environment } = tx.scope;
  await tx.db
    .insertInto('passwords')
    .values({ workspace_id: workspaceId, environment, user_id: userId, hash, changed_at: tx.now })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'environment', 'user_id']).doUpdateSet({ hash, changed_at: tx.now }),
    )
    .execute();
}

export type SignInCandidate = { userId: UserId; hash: string | null; verified: boolean; value: string };

/** Who an identifier belongs to and the hash to check against, in one read. Served by primary keys. */
export async function findSignInCandidate(
  tx: Pick<TxCtx, 'scope'> & { db: Pick<TxCtx['db'], 'selectFrom'> },
  kind: 'email' | 'username',
  value: string,
): Promise<SignInCandidate | undefined> {
  const row = await tx.db
    .selectFrom('identifiers as i')
    .leftJoin('passwords as p', (join) =>
      join
        .onRef('p.workspace_id', '=', 'i.workspace_id')
        .onRef('p.environment', '=', 'i.environment')
        .onRef('p.user_id', '=', 'i.user_id'),
    )
    .select(['i.user_id', 'i.value', 'p.hash', sql<boolean>`i.verified_at is not null`.as('verified')])
    .where('i.workspace_id', '=', tx.scope.workspaceId)
    .where('i.environment', '=', tx.scope.environment)
    .where('i.kind', '=', kind)
    .where('i.value', '=', value)
    .executeTakeFirst();
  return row && { userId: row.user_id, hash: row.hash, verified: row.verified, value: row.value };
}
