import { sql } from 'kysely';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { projectOf } from '#tenancy';
import type { FactorId } from './mfa-factors.ts';
import type { PasskeyId } from './passkey-store.ts';

type Reader = Pick<Ctx, 'scope' | 'db' | 'system'> | Pick<TxCtx, 'scope' | 'db' | 'system'>;

/** A second factor that a person set up; `phone` is the number of a phone. */
export type SecondFactor = { id: FactorId | PasskeyId; type: 'totp' | 'phone' | 'passkey'; phone: string | null };

/**
 * What a person has set up as second factors: confirmed apps and phones, and the passkeys that are to be asked for after a
 * password. Where the project requires a second factor every passkey is one. Recovery codes stand in for a factor and are none.
 * Served by mfa_factors_of_user and passkeys_of_user.
 */
export async function enrolledSecondFactors(ctx: Reader, userId: UserId): Promise<readonly SecondFactor[]> {
  const { workspaceId, environment } = ctx.scope;
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const own = sql`workspace_id = ${workspaceId} and environment = ${environment} and user_id = ${userId}`;
  const found = sql<SecondFactor>`(
    select id, kind as type, phone from mfa_factors where ${own} and confirmed_at is not null
    union all
    select id, 'passkey', null from passkeys where ${own} and (second_factor or ${settings.mfa === 'required'}))`;
  return ctx.db.selectFrom(found.as('enrolled')).selectAll().execute();
}
