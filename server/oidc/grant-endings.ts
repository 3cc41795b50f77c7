import { sql } from 'kysely';
import { holdFirstParty } from '#applications';
import { emitAll } from '#events';
import type { Descent, TxCtx } from '#platform/ctx.ts';
import type { ProjectId, SessionId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { endDescended } from '#sessions';

/** Identifies a grant among the provider's records. */
export type GrantRef = { issuer: string; id: string };

/** An ended grant; `supporterId` is who acted as the user by it. */
type EndedGrant = { projectId: ProjectId; userId: string; supporterId: string | null; expired: boolean };

/**
 * Ends grants with their codes and tokens, and the sessions that applications obtained for those tokens, recursively.
 * Every end of a grant uses this function. Served by the primary key and oidc_records_of_grant.
 */
export async function endGrants(tx: TxCtx, grants: readonly GrantRef[], reason: string): Promise<void> {
  if (grants.length === 0) return;
  // Deleted first: a transaction that obtains something through a grant locks it, so after this its result is visible
  // here.
  const { rows } = await sql<EndedGrant>`
    delete from oidc_records where model = 'Grant' and (issuer, id) in (${listed(grants)})
    returning project_id as "projectId", payload->>'accountId' as "userId",
      payload->'impersonation'->>'supporterId' as "supporterId", expires_at <= ${tx.now} as expired`.execute(tx.db);
  const events = rows.flatMap(({ projectId, userId, supporterId, expired }) =>
    supporterId === null || expired
      ? []
      : [{ type: 'user.impersonation.ended' as const, projectId, data: { userId, supporterId, cause: reason } }],
  );
  if (events.length > 0) await emitAll(tx, events);
  await endMadeOf(tx, grants, reason);
}

/** Ends the codes, tokens, sessions and delegations of grants, which themselves stay valid. */
export async function endMadeOf(tx: TxCtx, grants: readonly GrantRef[], reason: string): Promise<void> {
  const { rows } = await sql<GrantRef & { model: string }>`
    delete from oidc_records where (issuer, grant_id) in (${listed(grants)}) returning issuer, model, id`.execute(
    tx.db,
  );
  await endGrants(
    tx,
    rows.filter(({ model }) => model === 'Grant'),
    reason,
  );
  const grantIds = grants.map(({ id }) => id);
  await endDescended(tx, { grantIds }, reason);
}

function listed(grants: readonly GrantRef[]) {
  return sql`select * from unnest(${grants.map(({ issuer }) => issuer)}::text[], ${grants.map(({ id }) => id)}::text[])`;
}

/**
 * Locks the grant of an obtained session. Served by oidc_records_of_session.
 * @throws Problem SESSION_REVOKED when the grant has ended, or its application may not have sessions any more
 */
export async function holdGrant(
  tx: TxCtx,
  { grantId, applicationId, sessionId }: Descent & { sessionId: SessionId },
): Promise<void> {
  const { rows } = await sql`select from oidc_records
    where session_id = ${sessionId} and model = 'Grant' and id = ${grantId} for share`.execute(tx.db);
  if (rows.length === 0 || !(await holdFirstParty(tx, { id: applicationId }))) throw problem('SESSION_REVOKED');
}
