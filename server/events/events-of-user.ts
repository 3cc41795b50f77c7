import { sql } from 'kysely';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { acrossProjects } from '#platform/scoped.ts';

/** Events about a user in all projects of the realm, newest first. Served by events_of_user. */
export async function eventsOfUser(ctx: Pick<Ctx, 'db' | 'scope'>, userId: UserId, limit: number) {
  const rows = await ctx.db
    .selectFrom('events')
    .select(['id', 'type', 'project_id as projectId', 'occurred_at as occurredAt', 'data'])
    .where(acrossProjects(ctx))
    .where(sql<boolean>`data->>'userId' = ${userId} and data ? 'userId'`)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ occurredAt, ...row }) => ({ ...row, occurredAt: occurredAt.toISOString() }));
}

/** Every email address and phone number of a user in the log, including former ones. Served by events_of_user. */
export async function addressesInEvents(tx: TxCtx, userId: UserId): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select distinct address from events, lateral (values (data->>'email'), (data->>'phone')) as named (address)
    where workspace_id = ${tx.scope.workspaceId} and environment = ${tx.scope.environment}
      and data->>'userId' = ${userId} and data ? 'userId' and address is not null`.execute(tx.db);
  return rows.map(({ address }) => address);
}

/** Replaces an erased address. */
const ERASED = 'erased';

/** True if an address was erased from the event. */
export function isErased({ data }: { data: object }): boolean {
  return Reflect.get(data, 'email') === ERASED;
}

/**
 * Removes a user's addresses from the log. The events and their ids stay, but no longer lead to a person. Served by
 * events_of_user and events_of_invitation.
 */
export async function anonymiseEvents(tx: TxCtx, userId: UserId, emails: readonly string[]): Promise<void> {
  const { workspaceId, environment } = tx.scope;
  const inPlace = (field: 'email' | 'phone') => sql`jsonb_build_object(${sql.lit(field)}, ${ERASED}::text)`;
  for (const field of ['email', 'phone'] as const) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await sql`update events set data = data || ${inPlace(field)}
      where workspace_id = ${workspaceId} and environment = ${environment}
        and data->>'userId' = ${userId} and data ? 'userId' and data->>${sql.lit(field)} is not null`.execute(tx.db);
  }
  await sql`update events set data = data || ${inPlace('email')}
    where workspace_id = ${workspaceId} and environment = ${environment}
      and data->>'email' = any(${[...emails]}) and data ? 'invitationId'`.execute(tx.db);
}
