import { emitAll } from '#events';
import { replaceIdentifier } from '#identifiers';
import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { refreshSearch } from './search.ts';

/**
 * Replaces a user's address of this kind; the new one counts as verified unless stated otherwise.
 * @returns the previous one
 * @throws Problem ALREADY_EXISTS, VALIDATION_FAILED
 */
export async function replaceAddress(
  tx: TxCtx,
  userId: UserId,
  { kind, value, verified = true }: { kind: 'email' | 'phone'; value: string; verified?: boolean },
): Promise<string | null> {
  const before = await replaceIdentifier(tx, userId, { kind, value, verified });
  await refreshSearch(tx, userId);
  await emitAll(tx, [
    kind === 'email'
      ? { type: 'user.email.changed', data: { userId, email: value } }
      : { type: 'user.phone.changed', data: { userId, phone: value } },
    { type: 'user.updated', data: { userId, changed: [kind] } },
  ]);
  return before;
}
