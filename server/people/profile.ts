import { type Static, Type } from 'typebox';
import { emitAll } from '#events';
import { identifiersOf, replaceIdentifier } from '#identifiers';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import { normalise } from '#platform/identifiers.ts';
import { IdSchema, type UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { type ProfileChanges, profileFields, requireSmall } from '#platform/profile-fields.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inRealm } from '#platform/scoped.ts';
import { columnsOf, profileOf } from './profile-columns.ts';
import { refreshSearch } from './search.ts';
import { byKind } from './users.ts';

export const Profile = Type.Object(
  {
    userId: IdSchema('usr'),
    email: nullable(Type.String()),
    emailVerified: Type.Boolean(),
    phone: nullable(Type.String()),
    phoneVerified: Type.Boolean(),
    ...profileFields,
    createdAt: Instant,
    updatedAt: Instant,
  },
  { title: 'Profile' },
);
export type Profile = Static<typeof Profile>;

/**
 * A user's own profile.
 * @throws Problem NOT_FOUND when the account is gone
 */
export async function getProfile(ctx: Ctx | TxCtx, userId: UserId): Promise<Profile> {
  const row = await ctx.db
    .selectFrom('users as u')
    .selectAll()
    .select(identifiersOf(ctx, 'u').as('identifiers'))
    .where(inRealm(ctx, 'u'))
    .where('u.id', '=', userId)
    .executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  const { email, phone, username } = byKind(row.identifiers);
  return {
    userId,
    email: email?.value ?? null,
    emailVerified: email?.verified ?? false,
    phone: phone?.value ?? null,
    phoneVerified: phone?.verified ?? false,
    username: username?.value ?? null,
    ...profileOf(row),
    customData: row.custom_data,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/**
 * Changes the given fields; null clears a field, `customData` is replaced whole.
 * @throws Problem ALREADY_EXISTS for a username that is taken, PAYLOAD_TOO_LARGE
 */
export async function updateProfile(ctx: Ctx | TxCtx, userId: UserId, changes: ProfileChanges): Promise<Profile> {
  requireSmall('customData', changes.customData);
  return transaction(ctx, async (tx) => {
    const { username, ...columns } = changes;
    await updateColumns(tx, userId, columns);
    if (username !== undefined) {
      const value = username === null ? null : normalise(username).value;
      await replaceIdentifier(tx, userId, { kind: 'username', value, verified: true });
    }
    await refreshSearch(tx, userId);
    const data = { userId, changed: Object.keys(changes) };
    await emitAll(tx, [
      { type: 'profile.updated', data },
      { type: 'user.updated', data },
    ]);
    await announce(tx, { topic: 'user', key: userId });
    return getProfile(tx, userId);
  });
}

async function updateColumns(tx: TxCtx, userId: UserId, changes: Omit<ProfileChanges, 'username'>): Promise<void> {
  const { customData, ...fields } = changes;
  await tx.db
    .updateTable('users')
    .set({
      ...columnsOf(fields),
      ...(customData !== undefined && { custom_data: JSON.stringify(customData) }),
      updated_at: tx.now,
    })
    .where(inRealm(tx))
    .where('id', '=', userId)
    .execute();
}
