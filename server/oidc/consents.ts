import { sql } from 'kysely';
import { Compile } from 'typebox/compile';
import { type ScopeText, scopeTexts } from '#apis';
import { emit } from '#events';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { type ApplicationId, IdSchema, type UserId, type WorkspaceId } from '#platform/ids.ts';
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

/** The OAuth scopes that a user allows an application; those of APIs by id. Served by the primary key. */
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
  consent: { applicationId: ApplicationId; scopes: readonly string[]; apiScopes: readonly ScopeText[] },
) {
  const { applicationId, apiScopes } = consent;
  const scopes = [...consent.scopes, ...apiScopes.map(({ id }) => id)];
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
        conflict
          .columns(['workspace_id', 'environment', 'user_id', 'application_id'])
          .doUpdateSet({ granted_at: tx.now }),
      )
      .execute();
    // The row is locked. A cluster refuses the subquery in the statement above.
    await tx.db
      .updateTable('consents')
      .set({ scopes: sql`array(select distinct unnest(scopes || ${scopes}::text[]))` })
      .where(inRealm(tx))
      .where('user_id', '=', userId)
      .where('application_id', '=', applicationId)
      .execute();
    await emit(tx, 'user.consent.granted', {
      userId,
      applicationId,
      scopes: [...consent.scopes, ...apiScopes.map(nameOf)],
    });
  });
}

/**
 * Deletes a user's consent for an application.
 * @returns false when there was none
 */
export async function removeConsent(tx: TxCtx, userId: UserId, applicationId: ApplicationId): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('consents')
    .where(inRealm(tx))
    .where('user_id', '=', userId)
    .where('application_id', '=', applicationId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const isScopeId = Compile(IdSchema('scp'));

/** A user's consents; scopes that no API has are left out. Served by the primary key. */
export async function consentsOf(ctx: Pick<Ctx, 'db' | 'scope'>, userId: UserId) {
  const rows = await ctx.db
    .selectFrom('consents')
    .select(['application_id as applicationId', 'scopes', 'granted_at as grantedAt'])
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .execute();
  const ids = rows.flatMap(({ scopes }) => scopes).filter((scope) => isScopeId.Check(scope));
  const texts = await scopeTexts(ctx, ids);
  const named = new Map<string, string>(texts.map((text) => [text.id, nameOf(text)]));
  return rows.map(({ applicationId, scopes, grantedAt }) => ({
    applicationId,
    scopes: scopes.flatMap((scope) => (isScopeId.Check(scope) ? (named.get(scope) ?? []) : scope)),
    grantedAt: grantedAt.toISOString(),
  }));
}

/** A scope of an API, as people and events read it. */
function nameOf({ identifier, name }: ScopeText): string {
  return `${identifier} ${name}`;
}
