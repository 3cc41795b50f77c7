import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Application } from '#applications';
import { projectOf } from '#environments';
import { emit } from '#events';
import { applicationActs } from '#notices';
import { type TxCtx, transaction } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';
import { ctxOf } from './accounts.ts';
import { applicationOf, type IssuerAddress, realmOf } from './clients.ts';
import { placeIn, routedLike } from './routed-ids.ts';
import type { Subject } from './subject-tokens.ts';

/** A token for a resource server, with which an application acts for a user. */
type Delegation = { subject: Subject; application: Application; resource: string; scopes: readonly string[] };

/**
 * Records that an application acts for a user, and tells the user of the first time in a session. The grant for it
 * descends from that of the subject's token and ends with it.
 * @returns the id of the grant; undefined if that of the subject's token has ended meanwhile
 */
export function delegate(
  system: System,
  issuer: IssuerAddress,
  { subject, application, resource, scopes }: Delegation,
): Promise<string | undefined> {
  const { workspaceId, projectId, environment, id: applicationId } = application;
  const actor = { kind: 'management' as const, applicationId, permissions: [] };
  return transaction({ ...ctxOf(system, application), actor }, async (tx) => {
    const { settings } = await projectOf(tx.system, { workspaceId, projectId, environment });
    if (!(await holdGrantOf(tx, issuer, subject.grant.jti))) return undefined;
    const grant = await grantFor(tx, issuer, { subject, application });
    const { userId, client } = subject;
    const issuedTo = applicationOf(client).id;
    await emit(tx, 'user.delegated', { userId, applicationId, issuedTo, resource, scopes: [...scopes] });
    if (grant.isNew && settings.delegationNotices) await applicationActs(tx, userId, application.name);
    return grant.id;
  });
}

/** Locks a grant, so that its end also ends what is derived from it concurrently. Served by the primary key. */
export async function holdGrantOf(tx: TxCtx, issuer: IssuerAddress, id: string): Promise<boolean> {
  const { rows } = await sql`select from oidc_records
    where workspace_id = ${placeIn(tx.scope, id)} and issuer = ${realmOf(issuer)} and model = 'Grant' and id = ${id}
      and expires_at > ${tx.now} for share`.execute(tx.db);
  return rows.length > 0;
}

/** The grant of an application for what it derives from another grant: a single one, however often it is used. */
async function grantFor(
  tx: TxCtx,
  issuer: IssuerAddress,
  { subject: { grant }, application: { clientId } }: Pick<Delegation, 'subject' | 'application'>,
): Promise<{ id: string; isNew: boolean }> {
  const id = routedLike(grant.jti, hash('sha256', `${grant.jti} ${clientId}`, 'base64url'));
  const { accountId, sessionId, endsAt, workspaceId, projectId, organizationId, exp } = grant;
  const { admittedUnder, onDevice } = grant;
  const iat = Math.floor(tx.now.getTime() / 1000);
  const bound = { sessionId, endsAt, workspaceId, projectId, organizationId, admittedUnder, onDevice };
  const { numInsertedOrUpdatedRows } = await tx.db
    .insertInto('oidc_records')
    .values({
      workspace_id: placeIn(tx.scope, id),
      issuer: realmOf(issuer),
      model: 'Grant',
      id,
      payload: JSON.stringify({ kind: 'Grant', jti: id, accountId, clientId, iat, exp, ...bound }),
      grant_id: grant.jti,
      session_id: sessionId ?? null,
      project_id: projectId ?? null,
      expires_at: exp === undefined ? null : new Date(exp * 1000),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return { id, isNew: numInsertedOrUpdatedRows === 1n };
}
