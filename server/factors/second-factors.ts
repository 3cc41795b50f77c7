import { type RawBuilder, sql } from 'kysely';
import { isMfaRequiredAnywhere, projectOf } from '#environments';
import { type PasskeyId, passkeysAsFactors } from '#passkeys';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import type { Settings } from '#settings';
import type { FactorId } from './mfa-factors.ts';

type Reader = Pick<Ctx, 'scope' | 'db' | 'system'> | Pick<TxCtx, 'scope' | 'db' | 'system'>;

/** A second factor of a user; `phone` is the number of a phone. */
export type SecondFactor = { id: FactorId | PasskeyId; type: 'totp' | 'phone' | 'passkey'; phone: string | null };

/**
 * The second factors of a user: confirmed apps and phones, and the passkeys marked as second factors. If the project
 * requires a second factor, every passkey is one. Recovery codes stand in for a factor but are not counted. Served by
 * mfa_factors_of_user and passkeys_of_user.
 */
export async function enrolledSecondFactors(ctx: Reader, userId: UserId): Promise<readonly SecondFactor[]> {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  return factorsOf(ctx, userId, settings.mfa === 'required');
}

/**
 * The second factors that protect an account, which all projects of the workspace share: if any of them requires a
 * second factor, every passkey is one. Otherwise an attacker with the password could add another factor in a less
 * strict project and enter the stricter one with it (NIST SP 800-63B-4 §4.1.2).
 */
export async function guardingSecondFactors(ctx: Reader, userId: UserId): Promise<readonly SecondFactor[]> {
  return factorsOf(ctx, userId, await isMfaRequiredAnywhere(ctx));
}

/** SQL: the {@link enrolledSecondFactors} of a user. */
export function enrolledWith(
  { scope }: Pick<Ctx, 'scope'>,
  { mfa }: Pick<Settings, 'mfa'>,
  userId: RawBuilder<unknown>,
): RawBuilder<readonly SecondFactor[]> {
  const factors = factorsText(scope, userId, mfa === 'required');
  return sql`(select coalesce(json_agg(enrolled), '[]') from ${factors} as enrolled)`;
}

function factorsOf({ db, scope }: Reader, userId: UserId, everyPasskey: boolean): Promise<SecondFactor[]> {
  return db
    .selectFrom(factorsText(scope, sql`${userId}`, everyPasskey).as('enrolled'))
    .selectAll()
    .execute();
}

function factorsText(
  { workspaceId, environment }: Ctx['scope'],
  userId: RawBuilder<unknown>,
  everyPasskey: boolean,
): RawBuilder<SecondFactor> {
  return sql<SecondFactor>`(
    select id, kind as type, phone from mfa_factors
    where workspace_id = ${workspaceId} and environment = ${environment} and user_id = ${userId} and confirmed_at is not null
    union all
    ${passkeysAsFactors({ workspaceId, environment, userId }, everyPasskey)})`;
}
