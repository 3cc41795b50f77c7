import { sql } from 'kysely';
import { emit } from '#events';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import type { ApplicationId, UserId, WorkspaceId } from '#platform/ids.ts';
import { inRealm, realmColumns } from '#platform/scoped.ts';

type ConsentsTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  user_id: UserId;
  application_id: ApplicationId;
  scopes: string[];
  granted_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    consents: ConsentsTable;
  }
}

/** The OAuth scopes that a user allows an application. Served by the primary key. */
export async function consentTo(ctx: Ctx, userId: string, applicationId: ApplicationId): Promise<string[]> {
  const row = await ctx.db
    .selectFrom('consents')
    .select('scopes')
    .where(inRealm(ctx))
    .where('user_id', '=', sql<UserId>`${userId}`)
    .where('application_id', '=', applicationId)
    .executeTakeFirst();
  return row?.scopes ?? [];
}

/** Stores a user's consent for an application, merged with earlier consent. */
export async function giveConsent(
  ctx: Ctx,
  userId: UserId,
  consent: { applicationId: ApplicationId; scopes: string[] },
) {
  const { applicationId, scopes } = consent;
  await transaction(ctx, async (tx) => {
    await tx.db
      .insertInto('consents')
      .values({
        ...realmColumns(tx),
        user_id: userId,
        application_id: applicationId,
        scopes,
        granted_at: tx.now,
      })
      .onConflict((conflict) =>
        conflict.columns(['workspace_id', 'environment', 'user_id', 'application_id']).doUpdateSet({
          scopes: sql`array(select distinct unnest(consents.scopes || excluded.scopes))`,
          granted_at: tx.now,
        }),
      )
      .execute();
    await emit(tx, 'user.consent.granted', { userId, applicationId, scopes });
  });
}

/**
 * Deletes a user's consent for an application.
 * @returns false when there was none
 */
export async function forgetConsent(tx: TxCtx, userId: UserId, applicationId: ApplicationId): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('consents')
    .where(inRealm(tx))
    .where('user_id', '=', userId)
    .where('application_id', '=', applicationId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** A user's consents. Served by the primary key. */
export async function consentsOf(ctx: Pick<Ctx, 'db' | 'scope'>, userId: UserId) {
  const rows = await ctx.db
    .selectFrom('consents')
    .select(['application_id as applicationId', 'scopes', 'granted_at as grantedAt'])
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .execute();
  return rows.map(({ grantedAt, ...row }) => ({ ...row, grantedAt: grantedAt.toISOString() }));
}
