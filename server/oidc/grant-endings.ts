import { sql } from 'kysely';
import { holdFirstParty } from '#applications';
import type { TxCtx } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { endDescended, type Obtained, whenDescending } from '#sessions';

/** Names a grant among what the provider keeps. */
export type GrantRef = { issuer: string; id: string };

/**
 * Ends grants with everything that came of them: codes, tokens, and the sessions that applications got for their tokens, with what
 * was obtained by these in turn. Whatever ends a grant comes by here. Served by the primary key and oidc_records_of_grant.
 */
export async function endGrants(tx: TxCtx, grants: readonly GrantRef[], reason: string): Promise<void> {
  if (grants.length === 0) return;
  // First, as whoever obtains something through a grant holds it: after this, what they made is there to be found.
  await sql`delete from oidc_records where model = 'Grant' and (issuer, id) in (${listed(grants)})`.execute(tx.db);
  await endMadeOf(tx, grants, reason);
}

/** Ends what came of grants that themselves go on. */
export async function endMadeOf(tx: TxCtx, grants: readonly GrantRef[], reason: string): Promise<void> {
  await sql`delete from oidc_records where (issuer, grant_id) in (${listed(grants)})`.execute(tx.db);
  const grantIds = grants.map(({ id }) => id);
  await endDescended(tx, { grantIds }, reason);
}

function listed(grants: readonly GrantRef[]) {
  return sql`select * from unnest(${grants.map(({ issuer }) => issuer)}::text[], ${grants.map(({ id }) => id)}::text[])`;
}

/** Makes sessions ask whether the grant lives that they are obtained through. */
export function guardDescent(system: System): void {
  whenDescending(system, holdGrant);
}

/**
 * Served by oidc_records_of_session.
 * @throws Problem SESSION_REVOKED when the grant is over, or its application may have no sessions any more
 */
async function holdGrant(tx: TxCtx, { grantId, applicationId, sessionId }: Obtained): Promise<void> {
  const { rows } = await sql`select from oidc_records
    where session_id = ${sessionId} and model = 'Grant' and id = ${grantId} for share`.execute(tx.db);
  if (rows.length === 0 || !(await holdFirstParty(tx, { id: applicationId }))) throw problem('SESSION_REVOKED');
}
