import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { projectOf } from '#environments';
import { emit } from '#events';
import { accessOf, changeMember, requireAuthority } from '#members';
import { impersonated } from '#notices';
import { type Ctx, customerOf, type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema, type MemberId, type ProjectId, type UserId } from '#platform/ids.ts';
import { Problem, problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import type { System } from '#platform/system.ts';
import { lockSession } from '#sessions';
import { type IssuerAddress, realmOf } from './clients.ts';
import { endGrants } from './grant-endings.ts';

/** How long a ticket can be exchanged, in seconds. */
const TICKET_SECONDS = 60;
const PURPOSE = 'impersonation-ticket';
const PERMISSION = 'members:impersonate';

/** A person who acts as another one, for a reason. */
const Impersonation = Type.Object({ supporterId: IdSchema('usr'), reason: Type.String() });
export type Impersonation = Static<typeof Impersonation>;

/** What a ticket allows, and to whom. */
const Ticket = Type.Object({
  ...Impersonation.properties,
  id: Type.String(),
  userId: IdSchema('usr'),
  sessionId: IdSchema('ses'),
  projectId: IdSchema('prj'),
  /** Seconds since the epoch. */
  exchangeBy: Type.Integer(),
  endsAt: Type.Integer(),
});
export type Ticket = Static<typeof Ticket>;

/** A user in whose name nobody else acts any more, and the cause. */
type EndedUser = { userId: UserId; in: ProjectId | 'every project'; reason: string };

type Asked = { reason: string; minutes: number };

/**
 * Lets the signed-in person act as a member for a while: the ticket is exchanged once for a token of an API, in the same
 * session of theirs.
 * @throws Problem NOT_FOUND, WRONG_TOKEN_KIND, AUTHORIZATION_DENIED, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED, CONFLICT
 */
export async function allowImpersonation(
  ctx: Ctx,
  memberId: MemberId,
  { reason, minutes }: Asked,
): Promise<{ ticket: string; exchangeBy: string; endsAt: string }> {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const now = Math.floor(ctx.now.getTime() / 1000);
  const [exchangeBy, endsAt] = [now + TICKET_SECONDS, now + minutes * 60];
  const tickets: Ticket[] = [];
  await changeMember(ctx, memberId, async (tx, { userId, status }) => {
    if (tx.actor.kind !== 'customer')
      throw problem('WRONG_TOKEN_KIND', 'Somebody who acts as a member does so in a session of their own.');
    await requireAuthority(tx, 'member.impersonate', { userId });
    if (status === 'blocked') throw problem('MEMBER_BLOCKED');
    if (status !== 'active') throw problem('MEMBERSHIP_REQUIRED');
    if (minutes > settings.impersonationMinutes)
      throw problem('CONFLICT', `The project allows ${settings.impersonationMinutes} minutes (impersonationMinutes).`);
    const { userId: supporterId, sessionId } = tx.actor;
    const { projectId } = tx.scope;
    tickets.push({ id: randomUUID(), userId, supporterId, sessionId, projectId, reason, exchangeBy, endsAt });
    await emit(tx, 'user.impersonation.allowed', { userId, supporterId, reason, endsAt: instantOf(endsAt) });
  });
  const ticket = ctx.system.keyring.seal(JSON.stringify(tickets[0]), PURPOSE, ctx.scope.environment);
  return { ticket, exchangeBy: instantOf(exchangeBy), endsAt: instantOf(endsAt) };
}

function instantOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/** @returns undefined for any text that is no ticket, or one that is too old */
export function readTicket({ keyring, clock }: System, issuer: IssuerAddress, text: string): Ticket | undefined {
  try {
    const ticket: unknown = JSON.parse(keyring.open(text, PURPOSE, issuer.environment));
    const fresh = Value.Check(Ticket, ticket) && ticket.exchangeBy * 1000 > clock.now().getTime();
    return fresh ? ticket : undefined;
  } catch {
    return undefined;
  }
}

/** The grant of an application for the time that a person acts as another one. It ends with their session. */
export function beginImpersonation(
  ctx: Ctx,
  issuer: IssuerAddress,
  { ticket, clientId }: { ticket: Ticket; clientId: string },
): Promise<string | undefined> {
  const { id, userId, supporterId, sessionId, reason, endsAt } = ticket;
  const actor = { kind: 'customer' as const, userId: supporterId, sessionId, entryId: 'ent_' as const };
  return transaction({ ...ctx, actor }, async (tx) => {
    await lockSession(tx, sessionId);
    if (!(await mayGoOn(tx, { supporterId, userId }))) return undefined;
    await requireAuthority(tx, 'member.impersonate', { userId });
    const { workspaceId, projectId } = tx.scope;
    const iat = Math.floor(tx.now.getTime() / 1000);
    const bound = { sessionId, endsAt, workspaceId, projectId, impersonation: { supporterId, reason } };
    const { numInsertedOrUpdatedRows } = await tx.db
      .insertInto('oidc_records')
      .values({
        issuer: realmOf(issuer),
        model: 'Grant',
        id,
        payload: JSON.stringify({ kind: 'Grant', jti: id, accountId: userId, clientId, iat, exp: endsAt, ...bound }),
        session_id: sessionId,
        project_id: projectId,
        expires_at: new Date(endsAt * 1000),
      })
      .onConflict((conflict) => conflict.columns(['issuer', 'model', 'id']).doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows !== 1n) return undefined;
    await emit(tx, 'user.impersonation.started', { userId, supporterId, reason, endsAt: instantOf(endsAt) });
    await impersonated(tx, userId, { reason, minutes: Math.ceil((endsAt - iat) / 60) });
    return id;
  }).catch((error: unknown) => {
    // What held when the ticket was given does not any more.
    if (error instanceof Problem) return undefined;
    throw error;
  });
}

/** Whether both are active members, and the one who acts still has the permission. */
export async function mayGoOn(
  ctx: Ctx | TxCtx,
  { supporterId, userId }: { supporterId: UserId; userId: UserId },
): Promise<boolean> {
  const [supporter, person] = [await accessOf(ctx, supporterId), await accessOf(ctx, userId)];
  return supporter.status === 'active' && person.status === 'active' && supporter.permissions.includes(PERMISSION);
}

/** Who acts as a user now, the newest first. */
export const Impersonations = Type.Object(
  {
    impersonations: Type.Array(Type.Object({ ...Impersonation.properties, since: Instant, endsAt: Instant })),
  },
  { title: 'Impersonations' },
);

/** Who acts in the project as the signed-in user. */
export function ownImpersonations(ctx: Ctx) {
  return impersonationsOf(ctx, customerOf(ctx).userId);
}

/** Who acts in the project as a user, the newest first. */
export async function impersonationsOf(ctx: Ctx, userId: UserId) {
  const rows = await liveImpersonations(ctx, userId)
    .where('project_id', '=', ctx.scope.projectId)
    .select([
      sql<UserId>`payload->'impersonation'->>'supporterId'`.as('supporterId'),
      sql<string>`payload->'impersonation'->>'reason'`.as('reason'),
      sql<number>`(payload->'iat')::integer`.as('iat'),
      sql<number>`(payload->'exp')::integer`.as('exp'),
    ])
    .orderBy('iat', 'desc')
    .execute();
  return rows.map(({ supporterId, reason, iat, exp }) => ({
    supporterId,
    reason,
    since: instantOf(iat),
    endsAt: instantOf(exp),
  }));
}

/**
 * Ends what others do in the project in the name of the signed-in user.
 * @throws Problem NOT_FOUND
 */
export async function endOwnImpersonations(ctx: Ctx): Promise<void> {
  const ended = await transaction(ctx, (tx) =>
    endImpersonations(tx, { userId: customerOf(tx).userId, in: tx.scope.projectId, reason: 'user' }),
  );
  if (ended === 0) throw problem('NOT_FOUND');
}

/**
 * Ends what others do in the name of a user.
 * @returns how many impersonations were ended
 */
export async function endImpersonations(tx: TxCtx, { userId, in: where, reason }: EndedUser): Promise<number> {
  const found = liveImpersonations(tx, userId).select(['issuer', 'id']);
  const grants = await (where === 'every project' ? found : found.where('project_id', '=', where)).execute();
  await endGrants(tx, grants, reason);
  return grants.length;
}

/** Served by oidc_records_of_impersonated. */
function liveImpersonations({ db, scope, now }: Ctx | TxCtx, userId: UserId) {
  return db
    .selectFrom('oidc_records')
    .where('model', '=', 'Grant')
    .where(sql<boolean>`payload ? 'impersonation'`)
    .where(sql`payload->>'accountId'`, '=', userId)
    .where(sql`payload->>'workspaceId'`, '=', scope.workspaceId)
    .where('expires_at', '>', now);
}
