import { sql } from 'kysely';
import { type Application, exchangingApplications } from '#applications';
import { projectOf } from '#environments';
import { emit } from '#events';
import { changeMember, requireAuthority } from '#members';
import { impersonated } from '#notices';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { MemberId, ProjectId, UserId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { ctxOf } from './accounts.ts';
import type { IssuerAddress } from './clients.ts';
import { type Impersonation, instantOf, mayGoOn, type Supporter } from './impersonation.ts';
import { placeIn, placeOf, routedLike } from './routed-ids.ts';

/** How long a ticket can be exchanged, in seconds. */
const TICKET_SECONDS = 60;

type Asked = { reason: string; minutes: number; clientId?: string | undefined };

/**
 * Lets the actor act as a member for a while: the ticket is exchanged once for a token of an API. The ticket is the
 * secret of a waiting grant, so whatever ends the grant ends the ticket, too.
 * @throws Problem NOT_FOUND, AUTHORIZATION_DENIED, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED, CONFLICT, VALIDATION_FAILED
 */
export async function allowImpersonation(
  ctx: Ctx,
  memberId: MemberId,
  { reason, minutes, clientId }: Asked,
): Promise<{ ticket: string; exchangeBy: string; endsAt: string }> {
  const { routingKey, settings } = await projectOf(ctx.system, ctx.scope);
  const iat = Math.floor(ctx.now.getTime() / 1000);
  const [exchangeBy, endsAt] = [iat + TICKET_SECONDS, iat + minutes * 60];
  const ticket = `lks_${routingKey}_${randomSecret()}`;
  await changeMember(ctx, memberId, async (tx, { userId, status }) => {
    await requireAuthority(tx, 'member.impersonate', { userId });
    if (status === 'blocked') throw problem('MEMBER_BLOCKED');
    if (status !== 'active') throw problem('MEMBERSHIP_REQUIRED');
    if (minutes > settings.impersonationMinutes)
      throw problem(
        'CONFLICT',
        `The project allows at most ${settings.impersonationMinutes} minutes (impersonationMinutes).`,
      );
    const supporter = await supporterOf(tx, clientId);
    const { environment } = tx.scope;
    const impersonation = { ...supporter, reason, environment, endsAt, waiting: true };
    await insertGrant(tx, { id: idOf(ticket), userId, clientId, iat, exp: exchangeBy, impersonation });
    const { supporterId } = supporter;
    await emit(tx, 'user.impersonation.allowed', { userId, supporterId, reason, endsAt: instantOf(endsAt) });
  });
  return { ticket, exchangeBy: instantOf(exchangeBy), endsAt: instantOf(endsAt) };
}

/** The grant is stored under a hash, like every secret, in the workspace that the ticket names. */
function idOf(ticket: string): string {
  return routedLike(ticket, hashSecret(ticket).toString('base64url'));
}

/** The issuer under which these grants are stored, whichever issuer of the environment exchanges the ticket. */
function storedAt({ config }: Pick<System, 'config'>, { environment }: Pick<IssuerAddress, 'environment'>): string {
  return config.addresses[environment].auth;
}

/**
 * The supporter, and how tokens name them. A member exchanges the ticket in their own session. Operators and management
 * clients have no session in the project, so they name the application that exchanges the ticket, and that application
 * authenticates itself.
 * @throws Problem VALIDATION_FAILED
 */
async function supporterOf(
  tx: TxCtx,
  clientId: string | undefined,
): Promise<Pick<Impersonation, 'supporter' | 'supporterId' | 'act'>> {
  const { actor } = tx;
  const applications = clientId === undefined ? [] : await exchangingApplications(tx);
  const application = applications.find((known) => known.clientId === clientId);
  if (clientId !== undefined && !application)
    throw clientFault('is no application of this project that has token exchange and an API');
  if (actor.kind === 'customer') {
    const { kind, userId, sessionId, entryId } = actor;
    return { supporter: { kind, userId, sessionId, entryId }, supporterId: userId, act: userId };
  }
  if (actor.kind !== 'operator' && actor.kind !== 'management') throw problem('WRONG_TOKEN_KIND');
  if (!application) throw clientFault('is required without a session of a member');
  if (actor.kind === 'operator') return { supporter: actor, supporterId: actor.userId, act: actor.userId };
  if (application.id !== actor.applicationId) throw clientFault('must be your own: no other may exchange the ticket');
  return { supporter: actor, supporterId: actor.applicationId, act: application.clientId };
}

function clientFault(message: string) {
  return problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/clientId', message }] } });
}

type NewGrant = {
  id: string;
  userId: UserId;
  clientId: string | undefined;
  iat: number;
  exp: number;
  impersonation: Impersonation;
};

/** The grant ends with the session of the supporter, a member or an operator. */
async function insertGrant(tx: TxCtx, { id, userId, ...grant }: NewGrant): Promise<void> {
  const { workspaceId, projectId } = tx.scope;
  const { supporter } = grant.impersonation;
  const sessionId = supporter.kind === 'management' ? null : supporter.sessionId;
  const bound = { workspaceId, projectId, ...(sessionId && { sessionId }) };
  await tx.db
    .insertInto('oidc_records')
    .values({
      workspace_id: placeIn(tx.scope, id),
      issuer: storedAt(tx.system, tx.scope),
      model: 'Grant',
      id,
      payload: JSON.stringify({ kind: 'Grant', jti: id, accountId: userId, ...grant, ...bound }),
      session_id: sessionId,
      project_id: projectId,
      expires_at: new Date(grant.exp * 1000),
    })
    .execute();
}

/** The grant of an impersonation. */
export type Acting = {
  id: string;
  userId: UserId;
  projectId: ProjectId;
  /** The application that exchanges the ticket; for a waiting grant perhaps any. */
  clientId: string | undefined;
  impersonation: Impersonation;
};

/** @returns undefined for text that is not a ticket, or a ticket that was exchanged, has ended or expired */
export async function readTicket(system: System, issuer: IssuerAddress, text: string): Promise<Acting | undefined> {
  const acting = await findActing(system, issuer, idOf(text));
  return acting?.impersonation.waiting ? acting : undefined;
}

/** The live grant of an impersonation. Served by the primary key. */
async function findActing(system: System, issuer: IssuerAddress, id: string): Promise<Acting | undefined> {
  const { rows } = await sql<{ project_id: ProjectId; payload: Payload }>`
    select project_id, payload from oidc_records
    where workspace_id = ${await placeOf(system, id)} and issuer = ${storedAt(system, issuer)} and model = 'Grant' and id = ${id} and payload ? 'impersonation'
      and expires_at > ${system.clock.now()}`.execute(system.db);
  const [row] = rows;
  if (!row) return undefined;
  const { accountId: userId, clientId, impersonation } = row.payload;
  return { id, userId, projectId: row.project_id, clientId, impersonation };
}

type Payload = { accountId: UserId; clientId?: string; impersonation: Impersonation };

/** Whether a token's grant is an impersonation that may still continue. */
export async function isActing(
  system: System,
  issuer: IssuerAddress,
  { grantId, application }: { grantId: string; application: Application },
): Promise<boolean> {
  const acting = await findActing(system, issuer, grantId);
  if (acting?.clientId !== application.clientId || acting.impersonation.waiting) return false;
  return transaction(ctxOf(system, application), (tx) => mayGoOn(tx, acting));
}

/**
 * Starts the impersonation that a ticket allows. Ending the grant locks its row, so it ends either the ticket or the impersonation.
 * @returns the id of the grant; undefined if it has ended, or the impersonation may no longer start
 */
export function beginImpersonation(ctx: Ctx, acting: Acting, clientId: string): Promise<string | undefined> {
  const { id, userId, impersonation } = acting;
  const { supporterId, reason, endsAt } = impersonation;
  const supporter: Supporter = impersonation.supporter;
  return transaction({ ...ctx, actor: supporter }, async (tx) => {
    if (!(await mayGoOn(tx, acting))) return undefined;
    const iat = Math.floor(tx.now.getTime() / 1000);
    const begun = { clientId, iat, exp: endsAt, impersonation: { ...impersonation, waiting: false } };
    const { numAffectedRows } = await sql`update oidc_records
      set payload = payload || ${JSON.stringify(begun)}::jsonb, expires_at = ${new Date(endsAt * 1000)}
      where workspace_id = ${placeIn(tx.scope, id)} and issuer = ${storedAt(tx.system, tx.scope)} and model = 'Grant' and id = ${id}
        and (payload->'impersonation'->'waiting')::boolean`.execute(tx.db);
    if (numAffectedRows !== 1n) return undefined;
    await emit(tx, 'user.impersonation.started', { userId, supporterId, reason, endsAt: instantOf(endsAt) });
    await impersonated(tx, userId, { reason, minutes: Math.ceil((endsAt - iat) / 60) });
    return id;
  });
}
