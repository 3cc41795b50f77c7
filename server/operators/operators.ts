import { addMember } from '#members';
import { setPassword } from '#passwords';
import { createUser, findIdentifier } from '#people';
import type { TxCtx } from '#platform/ctx.ts';
import { normalise, normaliseEmail } from '#platform/identifiers.ts';
import type { UserId } from '#platform/ids.ts';
import { endWithCredentials } from '#sessions';
import { installationOf } from './installation.ts';

/** Somebody who signs in to the console. */
type NewOperator = { email: string; displayName?: string; passwordHash: string };

/** A context of the built-in workspace inside the caller's transaction: where operators are people. */
export function amongOperators(tx: TxCtx): TxCtx {
  return { ...tx, scope: installationOf(tx.system).scope };
}

/** The operator of an address, if there is one. Whoever calls has made sure that the address is proven. */
export async function findOperator(tx: TxCtx, email: string): Promise<UserId | undefined> {
  return (await findIdentifier(amongOperators(tx), normalise(email)))?.userId;
}

/** Adds somebody who can sign in to the console; in no team yet. @throws Problem ALREADY_EXISTS */
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

/** Gives an operator who lost theirs another password; their sessions end. */
export async function resetOperator(tx: TxCtx, userId: UserId, passwordHash: string): Promise<void> {
  const inside = amongOperators(tx);
  await setPassword(inside, userId, passwordHash);
  await endWithCredentials(inside, userId, 'password');
}
