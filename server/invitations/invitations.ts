import { type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { authAddressOf } from '#domains';
import { emit } from '#events';
import {
  AUTHORITY,
  addMember,
  addRoles,
  couldStill,
  lockKnownRoles,
  lockRolesByKey,
  RoleKey,
  requireAuthority,
} from '#members';
import { sendMessage } from '#messages';
import { type Actor, type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation, type Json } from '#platform/db.ts';
import { Email, normaliseEmail } from '#platform/identifiers.ts';
import { type Id, IdSchema, newId, type ProjectId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { openCursor, type Page, PageQuery, pageOf } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { isClosed, projectOf } from '#tenancy';

export type InvitationId = Id<'inv'>;

type InvitationsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: InvitationId;
  email: string;
  roles: string[];
  token_hash: Buffer;
  invited_by: Json<Actor>;
  locale: string | null;
  created_at: Date;
  expires_at: Date;
  accepted_at: Date | null;
  revoked_at: Date | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    invitations: InvitationsTable;
  }
}

const Status = Type.Enum(['pending', 'accepted', 'revoked', 'expired']);

export const NewInvitation = Type.Object(
  {
    email: Email,
    roles: Type.Optional(Type.Array(RoleKey, { maxItems: 50, uniqueItems: true })),
    locale: Type.Optional(Type.String({ maxLength: 35, pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$' })),
  },
  { additionalProperties: false },
);

export const Invitation = Type.Object(
  {
    id: IdSchema('inv'),
    email: Type.String(),
    roles: Type.Array(Type.String()),
    status: Status,
    invitedBy: Type.Union([Type.String(), Type.Null()], { description: 'A user or application; null: the system.' }),
    expiresAt: Type.String({ format: 'date-time' }),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { title: 'Invitation' },
);
type Invitation = Static<typeof Invitation>;

export const InvitationQuery = Type.Object({ ...PageQuery.properties, status: Type.Optional(Status) });

type Row = Selectable<InvitationsTable>;

function recordOf(ctx: Pick<Ctx, 'now'>, row: Row): Invitation {
  return {
    id: row.id,
    email: row.email,
    roles: row.roles,
    status: statusOf(ctx, row),
    invitedBy: inviterOf(row.invited_by),
    expiresAt: row.expires_at.toISOString(),
    createdAt: row.created_at.toISOString(),
  };
}

function statusOf({ now }: Pick<Ctx, 'now'>, row: Row): Invitation['status'] {
  if (row.accepted_at) return 'accepted';
  if (row.revoked_at) return 'revoked';
  return row.expires_at <= now ? 'expired' : 'pending';
}

function inviterOf(actor: Actor): string | null {
  if (actor.kind === 'customer' || actor.kind === 'operator') return actor.userId;
  return actor.kind === 'management' ? actor.applicationId : null;
}

function scoped(ctx: Ctx | TxCtx) {
  return ctx.db
    .selectFrom('invitations')
    .selectAll()
    .where('workspace_id', '=', ctx.scope.workspaceId)
    .where('project_id', '=', ctx.scope.projectId)
    .where('environment', '=', ctx.scope.environment);
}

/** Invitations of the project, newest first. Served by the primary key. */
export async function listInvitations(ctx: Ctx, query: Static<typeof InvitationQuery>): Promise<Page<Invitation>> {
  const { limit, cursor, status } = query;
  const list = JSON.stringify(['invitations', status]);
  let rows = scoped(ctx)
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (cursor !== undefined) rows = rows.where(sql<boolean>`id < ${openCursor(ctx, list, cursor)}`);
  if (status === 'accepted') rows = rows.where('accepted_at', 'is not', null);
  if (status === 'revoked') rows = rows.where('revoked_at', 'is not', null);
  if (status === 'pending' || status === 'expired')
    rows = rows
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', status === 'pending' ? '>' : '<=', ctx.now);
  const page = pageOf(ctx, await rows.execute(), { list, limit, keyOf: (row) => row.id });
  return { items: page.rows.map((row) => recordOf(ctx, row)), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getInvitation(ctx: Ctx | TxCtx, id: InvitationId): Promise<Invitation> {
  const row = await scoped(ctx).where('id', '=', id).executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return recordOf(ctx, row);
}

/**
 * Invites somebody by mail. Nobody hands out roles that grant more than they have.
 * @throws Problem ALREADY_EXISTS while another invitation of the address is open, AUTHORIZATION_DENIED, VALIDATION_FAILED for an unknown role
 */
export async function invite(ctx: Ctx, invitation: Static<typeof NewInvitation>): Promise<Invitation> {
  const id = newId('inv', ctx.now);
  const email = normaliseEmail(invitation.email);
  const keys = invitation.roles ?? [];
  return transaction(ctx, async (tx) => {
    const roles = await lockRolesByKey(tx, keys);
    await requireAuthority(tx, 'invitation.create', { grants: roles.flatMap((role) => role.permissions) });
    await closeExpired(tx, email);
    const { token, expiresAt } = await newToken(tx);
    const row: Row = {
      workspace_id: tx.scope.workspaceId,
      project_id: tx.scope.projectId,
      environment: tx.scope.environment,
      id,
      email,
      roles: [...keys],
      token_hash: hashSecret(token),
      invited_by: tx.actor,
      locale: invitation.locale ?? null,
      created_at: tx.now,
      expires_at: expiresAt,
      accepted_at: null,
      revoked_at: null,
    };
    try {
      await tx.db
        .insertInto('invitations')
        .values({ ...row, invited_by: JSON.stringify(tx.actor) })
        .execute();
    } catch (error) {
      throw isUniqueViolation(error, 'invitations_open')
        ? problem('ALREADY_EXISTS', 'This address already has a pending invitation. Resend or revoke it.')
        : error;
    }
    await mail(tx, row, token);
    await emit(tx, 'invitation.created', { invitationId: id, email });
    return recordOf(tx, row);
  });
}

/** An expired invitation makes room for a new one. */
async function closeExpired(tx: TxCtx, email: string): Promise<void> {
  await tx.db
    .updateTable('invitations')
    .set({ revoked_at: tx.now })
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('project_id', '=', tx.scope.projectId)
    .where('environment', '=', tx.scope.environment)
    .where('email', '=', email)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '<=', tx.now)
    .execute();
}

async function newToken(tx: TxCtx): Promise<{ token: string; expiresAt: Date }> {
  const { routingKey, settings } = await projectOf(tx.system, tx.scope);
  return {
    token: `lki_${routingKey}_${randomSecret()}`,
    expiresAt: new Date(tx.now.getTime() + settings.invitationSeconds * 1000),
  };
}

async function mail(tx: TxCtx, row: Pick<Row, 'email' | 'locale' | 'expires_at'>, token: string): Promise<void> {
  const days = Math.max(1, Math.round((row.expires_at.getTime() - tx.now.getTime()) / 86_400_000));
  await sendMessage(tx, {
    template: 'invitation',
    to: row.email,
    locale: row.locale,
    variables: { link: `${await authAddressOf(tx)}/link/invitation?token=${token}`, days },
    expiresAt: row.expires_at,
  });
}

/**
 * Mails an open invitation again, with a new link and its whole lifetime; the link before ends. From then on it is worth what whoever
 * sends it may do. @throws Problem NOT_FOUND, CONFLICT, AUTHORIZATION_DENIED
 */
export async function resendInvitation(ctx: Ctx, id: InvitationId): Promise<Invitation> {
  return transaction(ctx, async (tx) => {
    const row = await lockOpen(tx, id);
    await requireAuthority(tx, 'invitation.resend', { grants: await grantsOf(tx, row) });
    const { token, expiresAt } = await newToken(tx);
    await tx.db
      .updateTable('invitations')
      .set({ token_hash: hashSecret(token), expires_at: expiresAt, invited_by: JSON.stringify(tx.actor) })
      .where('workspace_id', '=', tx.scope.workspaceId)
      .where('project_id', '=', tx.scope.projectId)
      .where('environment', '=', tx.scope.environment)
      .where('id', '=', id)
      .execute();
    await mail(tx, { ...row, expires_at: expiresAt }, token);
    await emit(tx, 'invitation.resent', { invitationId: id, email: row.email });
    return getInvitation(tx, id);
  });
}

/** Takes an open invitation back. @throws Problem NOT_FOUND, CONFLICT, AUTHORIZATION_DENIED */
export async function revokeInvitation(ctx: Ctx, id: InvitationId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const row = await lockOpen(tx, id);
    await requireAuthority(tx, 'invitation.revoke', { grants: await grantsOf(tx, row) });
    await endInvitation(tx, row);
  });
}

async function endInvitation(tx: TxCtx, { id, email }: Pick<Row, 'id' | 'email'>): Promise<void> {
  await tx.db
    .updateTable('invitations')
    .set({ revoked_at: tx.now })
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('project_id', '=', tx.scope.projectId)
    .where('environment', '=', tx.scope.environment)
    .where('id', '=', id)
    .execute();
  await emit(tx, 'invitation.revoked', { invitationId: id, email });
}

/** What the roles of an invitation grant now; those the project no longer has are left out. */
async function grantsOf(tx: TxCtx, { roles }: Pick<Row, 'roles'>): Promise<string[]> {
  return (await lockKnownRoles(tx, roles)).flatMap(({ permissions }) => permissions);
}

async function lockOpen(tx: TxCtx, id: InvitationId): Promise<Row> {
  const row = await scoped(tx).where('id', '=', id).forUpdate().executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  if (row.accepted_at || row.revoked_at)
    throw problem('CONFLICT', `The invitation is ${statusOf(tx, row)}; only a pending one can be changed.`);
  return row;
}

/** An invitation as the person who holds its link sees it. */
export type OpenInvitation = { id: InvitationId; email: string; roles: string[]; projectId: ProjectId };

/** The open invitation of a link. Served by invitations_token. @throws Problem INVALID_TOKEN */
export async function findInvitation(
  ctx: (Pick<Ctx, 'db'> | Pick<TxCtx, 'db'>) &
    Pick<Ctx, 'now'> & { scope: { workspaceId: WorkspaceId; environment: Environment } },
  token: string,
): Promise<OpenInvitation> {
  const row = await ctx.db
    .selectFrom('invitations')
    .select(['id', 'email', 'roles', 'project_id as projectId'])
    .where('workspace_id', '=', ctx.scope.workspaceId)
    .where('environment', '=', ctx.scope.environment)
    .where('token_hash', '=', hashSecret(token))
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', ctx.now)
    .executeTakeFirst();
  if (!row)
    throw problem('INVALID_TOKEN', 'The invitation is unknown, was used, revoked or has expired. Ask for a new one.');
  return row;
}

/** The project somebody is invited to, as {@link findInvitation} does. @throws Problem INVALID_TOKEN, also while it is to be deleted */
export async function projectOfInvitation(ctx: Ctx, token: string): Promise<ProjectId> {
  const { projectId } = await findInvitation(ctx, token);
  if (await isClosed(ctx.system, { ...ctx.scope, projectId })) throw problem('INVALID_TOKEN');
  return projectId;
}

/** Whether whoever sent an invitation could send it today: they may still invite, and hold what it grants now. */
async function isBacked(tx: TxCtx, row: Pick<Row, 'roles' | 'invited_by'>): Promise<boolean> {
  return couldStill(tx, row.invited_by, [AUTHORITY['invitation.accept'].permission, ...(await grantsOf(tx, row))]);
}

/**
 * Takes an open invitation back whose sender could not send it today: they were removed, blocked, demoted or switched off since.
 * @throws Problem INVALID_TOKEN for such a one
 */
export async function withdrawUnbacked(ctx: Ctx, token: string): Promise<void> {
  const withdrawn = await transaction(ctx, async (tx) => {
    const row = await scoped(tx)
      .where('token_hash', '=', hashSecret(token))
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .forUpdate()
      .executeTakeFirst();
    if (!row || (await isBacked(tx, row))) return false;
    await endInvitation(tx, row);
    return true;
  });
  if (withdrawn) throw problem('INVALID_TOKEN');
}

/**
 * Spends an invitation of `tx.scope`'s project and makes the person a member of it with its roles.
 * @throws Problem INVALID_TOKEN when another call was first, the invitation is another project's, or its sender could not send it today
 */
export async function acceptInvitation(tx: TxCtx, token: string, userId: UserId): Promise<void> {
  const accepted = await tx.db
    .updateTable('invitations')
    .set({ accepted_at: tx.now })
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('project_id', '=', tx.scope.projectId)
    .where('environment', '=', tx.scope.environment)
    .where('token_hash', '=', hashSecret(token))
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', tx.now)
    .returning(['id', 'email', 'roles', 'invited_by'])
    .executeTakeFirst();
  if (!accepted || !(await isBacked(tx, accepted))) throw problem('INVALID_TOKEN');
  const memberId = await addMember(tx, userId);
  await addRoles(tx, { memberId, userId }, accepted.roles);
  await emit(tx, 'invitation.accepted', { invitationId: accepted.id, email: accepted.email, userId });
}

/** The invitations to any of these addresses, in all projects of the realm. */
export async function invitationsTo(ctx: Pick<Ctx, 'db' | 'scope' | 'now'>, emails: readonly string[]) {
  const rows = await ctx.db
    .selectFrom('invitations')
    .selectAll()
    .where('workspace_id', '=', ctx.scope.workspaceId)
    .where('environment', '=', ctx.scope.environment)
    .where('email', '=', sql<string>`any(${[...emails]})`)
    .orderBy('id', 'desc')
    .execute();
  return rows.map((row) => ({ ...recordOf(ctx, row), projectId: row.project_id }));
}

/** Removes the invitations to any of these addresses. */
export async function forgetInvitations(tx: TxCtx, emails: readonly string[]): Promise<void> {
  await tx.db
    .deleteFrom('invitations')
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('environment', '=', tx.scope.environment)
    .where('email', '=', sql<string>`any(${[...emails]})`)
    .execute();
}
