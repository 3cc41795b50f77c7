import { endWithCredentials } from '#credential-changes';
import { findIdentifier } from '#identifiers';
import { addMember } from '#members';
import { setPassword } from '#passwords';
import { createUser } from '#people';
import type { TxCtx } from '#platform/ctx.ts';
import { normalise, normaliseEmail } from '#platform/identifiers.ts';
import type { UserId } from '#platform/ids.ts';
import { installationOf } from './installation.ts';

/** A user who signs in to the console. */
type NewOperator = { email: string; displayName?: string; passwordHash: string };

/** A context of the built-in workspace inside the caller's transaction; operators are users of it. */
export function amongOperators(tx: TxCtx): TxCtx {
  return { ...tx, scope: installationOf(tx.system).scope };
}

/** The operator with this email address, if any. The caller has verified that the person owns the address. */
export async function findOperator(tx: TxCtx, email: string): Promise<UserId | undefined> {
  return (await findIdentifier(amongOperators(tx), normalise(email)))?.userId;
}

/**
 * Adds an operator who is not in a team yet.
 * @throws Problem ALREADY_EXISTS
 */
export async function createOperator(tx: TxCtx, { email, displayName, passwordHash }: NewOperator): Promise<UserId> {
  const inside = amongOperators(tx);
  const userId = await createUser(inside, {
    address: { kind: 'email', value: normaliseEmail(email), verified: true },
    passwordHash,
    profile: displayName === undefined ? {} : { displayName },
  });
  await addMember(inside, userId);
  return userId;
}

/** Sets another password for an operator who lost theirs; their sessions end. */
export async function resetOperator(tx: TxCtx, userId: UserId, passwordHash: string): Promise<void> {
  const inside = amongOperators(tx);
  await setPassword(inside, userId, passwordHash);
  await endWithCredentials(inside, userId, 'password');
}
