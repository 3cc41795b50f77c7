import { sql } from 'kysely';
import { holdFirstParty } from '#applications';
import { emit } from '#events';
import type { Descent, Scope, TxCtx } from '#platform/ctx.ts';
import type { SessionId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { at } from '#platform/scoped.ts';
import { endDescended } from '#sessions';
import { type Place, placeIn } from './routed-ids.ts';

/** Identifies a grant among the provider's records. */
export type GrantRef = { workspace_id: Place; issuer: string; id: string };

/** An ended grant of an impersonation, in the scope where it took place. */
type EndedActing = Scope & { userId: string; supporterId: string };

/**
 * Ends grants with their codes and tokens, and the sessions that applications obtained for those tokens, recursively.
 * Every end of a grant uses this function. Served by the primary key and oidc_records_of_grant.
 */
export async function endGrants(tx: TxCtx, grants: readonly GrantRef[], reason: string): Promise<void> {
  if (grants.length === 0) return;
  // Deleted first: a transaction that obtains something through a grant locks it, so after this its result is visible
  // here.
  for (const [place, theirs] of byPlace(grants)) {
    // biome-ignore lint/performance/noAwaitInLoops: nearly always one place, on one connection
    const { rows } = await sql<EndedActing>`with gone as (
      delete from oidc_records where workspace_id = ${place} and model = 'Grant' and (issuer, id) in (${listed(theirs)}) returning *)
      ${actingIn(tx)}`.execute(tx.db);
    await tellOfEnded(tx, rows, reason);
  }
  await endMadeOf(tx, grants, reason);
}

/**
 * Deletes all records of the provider, for all users: browser sessions, grants, codes and tokens. Emits an event for
 * each impersonation that ended.
 */
export async function removeEveryRecord(tx: TxCtx, reason: string): Promise<void> {
  const { rows } = await sql<EndedActing>`with gone as (delete from oidc_records /* all workspaces */ returning *)
    ${actingIn(tx)}`.execute(tx.db);
  await tellOfEnded(tx, rows, reason);
}

/** The deleted records that were grants of impersonations. */
function actingIn({ now }: TxCtx) {
  return sql`select payload->>'workspaceId' as "workspaceId", project_id as "projectId",
      payload->'impersonation'->>'environment' as environment,
      payload->>'accountId' as "userId", payload->'impersonation'->>'supporterId' as "supporterId"
    from gone where model = 'Grant' and payload ? 'impersonation' and expires_at > ${now}`;
}

/** An operator impersonates in another workspace than the one in which their session ends. */
async function tellOfEnded(tx: TxCtx, ended: readonly EndedActing[], cause: string): Promise<void> {
  for (const { userId, supporterId, ...place } of ended) {
    // biome-ignore lint/performance/noAwaitInLoops: few, on one connection
    await emit(at(tx, place), 'user.impersonation.ended', { userId, supporterId, cause });
  }
}

/** Ends the codes, tokens, sessions and delegations of grants, which themselves stay valid. */
export async function endMadeOf(tx: TxCtx, grants: readonly GrantRef[], reason: string): Promise<void> {
  for (const [place, theirs] of byPlace(grants)) {
    // biome-ignore lint/performance/noAwaitInLoops: nearly always one place, on one connection
    const { rows } = await sql<GrantRef & { model: string }>`
      delete from oidc_records where workspace_id = ${place} and (issuer, grant_id) in (${listed(theirs)})
      returning workspace_id, issuer, model, id`.execute(tx.db);
    await endGrants(
      tx,
      rows.filter(({ model }) => model === 'Grant'),
      reason,
    );
  }
  const grantIds = grants.map(({ id }) => id);
  await endDescended(tx, { grantIds }, reason);
}

function byPlace(grants: readonly GrantRef[]) {
  return Map.groupBy(grants, ({ workspace_id }) => workspace_id);
}

export function listed(grants: readonly GrantRef[]) {
  return sql`select * from unnest(${grants.map(({ issuer }) => issuer)}::text[], ${grants.map(({ id }) => id)}::text[])`;
}

/**
 * Locks the grant of an obtained session. Served by oidc_records_of_session.
 * @throws Problem SESSION_REVOKED when the grant has ended, or its application may no longer have sessions
 */
export async function holdGrant(
  tx: TxCtx,
  { grantId, applicationId, sessionId }: Descent & { sessionId: SessionId },
): Promise<void> {
  const { rows } = await sql`select from oidc_records
    where workspace_id = ${placeIn(tx.scope, grantId)} and session_id = ${sessionId} and model = 'Grant' and id = ${grantId}
    for share`.execute(tx.db);
  if (rows.length === 0 || !(await holdFirstParty(tx, { id: applicationId }))) throw problem('SESSION_REVOKED');
}
