import { type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { authAddressOf } from '#domains';
import { projectOf } from '#environments';
import { emit } from '#events';
import { addMember, addRoles, authorityNow, lockRoles, RoleKey, requireAuthority } from '#members';
import { joinOrganization, lockKnownRoles, lockOrganization, lockOrganizationRoles } from '#organizations';
import { type Actor, type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import { Email, normaliseEmail } from '#platform/identifiers.ts';
import {
  type Id,
  IdSchema,
  newId,
  type OrganizationId,
  type ProjectId,
  type UserId,
  type WorkspaceId,
} from '#platform/ids.ts';
import { hashSecret } from '#platform/keyring.ts';
import { type Page, PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { acrossProjects } from '#platform/scoped.ts';
import { isClosed } from '#tenancy';
import { InvitationStatus, Invitations, isOpen, statusOf } from './invitations.ts';

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
  organization_id: OrganizationId | null;
  roles_in_organization: string[];
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

export const NewInvitation = Type.Object(
  {
    email: Email,
    roles: Type.Optional(Type.Array(RoleKey, { maxItems: 50, uniqueItems: true })),
    organizationId: Type.Optional(IdSchema('org')),
    organizationRoles: Type.Optional(
      Type.Array(RoleKey, { maxItems: 50, uniqueItems: true, description: 'In the organization.' }),
    ),
    locale: Type.Optional(Type.String({ maxLength: 35, pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$' })),
  },
  { additionalProperties: false },
);

export const Invitation = Type.Object(
  {
    id: IdSchema('inv'),
    email: Type.String(),
    roles: Type.Array(Type.String()),
    organizationId: nullable(IdSchema('org')),
    organizationRoles: Type.Array(Type.String()),
    status: InvitationStatus,
    invitedBy: Type.Union([Type.String(), Type.Null()], { description: 'A user or application; null: the system.' }),
    expiresAt: Instant,
    createdAt: Instant,
  },
  { title: 'Invitation' },
);
type Invitation = Static<typeof Invitation>;

export const InvitationQuery = Type.Object({ ...PageQuery.properties, status: Type.Optional(InvitationStatus) });

type Row = Selectable<InvitationsTable>;

const invitations = new Invitations<Row>({
  table: 'invitations',
  within: ({ workspaceId, projectId, environment }) =>
    sql`workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}`,
  events: { created: 'invitation.created', resent: 'invitation.resent', revoked: 'invitation.revoked' },
  insert: (tx, row) =>
    tx.db
      .insertInto('invitations')
      .values({ ...row, invited_by: JSON.stringify(row.invited_by) })
      .execute(),
  inviterOf: (actor) => JSON.stringify(actor),
  tokens: async (tx) => {
    const { routingKey, settings } = await projectOf(tx.system, tx.scope);
    return { prefix: `lki_${routingKey}`, seconds: settings.invitationSeconds };
  },
  letter: async (tx, { locale }, token) => {
    const link = `${await authAddressOf(tx)}/link/invitation?token=${token}`;
    return { sender: tx, locale, variables: { link } };
  },
  requireToGrant: async (tx, act, row) => {
    if (row.organization_id) await requireOrganizations(tx);
    await requireAuthority(tx, `invitation.${act}`, { grants: await grantsOf(tx, row) });
  },
  // The sender may still invite, and has the permissions that the invitation grants now.
  isBacked: async (tx, row) => {
    const grants = await grantsOf(tx, row);
    const mayInvite = await authorityNow(tx, row.invited_by, 'invitation.accept');
    const mayAdd = !row.organization_id || (await authorityNow(tx, row.invited_by, 'organization.member.add'));
    return Boolean(mayInvite?.covers(grants) && mayAdd);
  },
});

/** The permissions that the roles of an invitation grant now; deleted roles are skipped. */
async function grantsOf(tx: TxCtx, row: Pick<Row, 'roles' | 'roles_in_organization'>): Promise<string[]> {
  const roles = [...(await lockRoles(tx, row.roles, 'skip')), ...(await lockKnownRoles(tx, row.roles_in_organization))];
  return roles.flatMap(({ permissions }) => permissions);
}

/**
 * Inviting to an organization takes what adding a member to it takes.
 * @throws Problem AUTHORIZATION_DENIED
 */
async function requireOrganizations(tx: TxCtx): Promise<void> {
  if (await authorityNow(tx, tx.actor, 'organization.member.add')) return;
  throw problem('AUTHORIZATION_DENIED', { extensions: { requiredPermission: 'organizations:write' } });
}

function recordOf(ctx: Pick<Ctx, 'now'>, row: Row): Invitation {
  return {
    id: row.id,
    email: row.email,
    roles: row.roles,
    organizationId: row.organization_id,
    organizationRoles: row.roles_in_organization,
    status: statusOf(ctx, row),
    invitedBy: inviterOf(row.invited_by),
    expiresAt: row.expires_at.toISOString(),
    createdAt: row.created_at.toISOString(),
  };
}

function inviterOf(actor: Actor): string | null {
  if (actor.kind === 'customer' || actor.kind === 'operator') return actor.userId;
  return actor.kind === 'management' ? actor.applicationId : null;
}

/** Invitations of the project, newest first. */
export async function listInvitations(ctx: Ctx, query: Static<typeof InvitationQuery>): Promise<Page<Invitation>> {
  const { rows, nextCursor } = await invitations.list(ctx, query);
  return { items: rows.map((row) => recordOf(ctx, row)), nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getInvitation(ctx: Ctx, id: InvitationId): Promise<Invitation> {
  return recordOf(ctx, await invitations.find(ctx, id));
}

/**
 * Invites a person by mail to the project, and to one of its organizations if that is named. An actor can only grant
 * roles whose permissions it holds.
 * @throws Problem ALREADY_EXISTS while another such invitation of the address is open, AUTHORIZATION_DENIED, NOT_FOUND for
 * an unknown organization, VALIDATION_FAILED for an unknown role
 */
export async function invite(ctx: Ctx, invitation: Static<typeof NewInvitation>): Promise<Invitation> {
  const id = newId('inv', ctx.now);
  const { roles = [], organizationId = null, organizationRoles = [], locale = null } = invitation;
  return transaction(ctx, async (tx) => {
    const grants = (await lockRoles(tx, roles, 'refuse')).flatMap(({ permissions }) => permissions);
    const inside = await grantsInside(tx, organizationId, organizationRoles);
    await requireAuthority(tx, 'invitation.create', { grants: [...grants, ...inside] });
    const { projectId: project_id, environment } = tx.scope;
    const row = await invitations.create(tx, normaliseEmail(invitation.email), (common) => ({
      ...common,
      project_id,
      environment,
      id,
      roles: [...roles],
      organization_id: organizationId,
      roles_in_organization: [...organizationRoles],
      invited_by: tx.actor,
      locale,
    }));
    return recordOf(tx, row);
  });
}

/** The permissions that roles grant in the organization of a new invitation. */
async function grantsInside(tx: TxCtx, organizationId: OrganizationId | null, roles: readonly string[]) {
  const pointer = '/body/organizationRoles';
  if (organizationId !== null) {
    await requireOrganizations(tx);
    await lockOrganization(tx, organizationId);
    return lockOrganizationRoles(tx, roles, pointer);
  }
  if (roles.length === 0) return [];
  const errors = [{ pointer, message: 'need an `organizationId`' }];
  throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

/** @throws Problem NOT_FOUND, CONFLICT, AUTHORIZATION_DENIED */
export async function resendInvitation(ctx: Ctx, id: InvitationId): Promise<Invitation> {
  return recordOf(ctx, await invitations.resend(ctx, id));
}

/** @throws Problem NOT_FOUND, CONFLICT, AUTHORIZATION_DENIED */
export async function revokeInvitation(ctx: Ctx, id: InvitationId): Promise<void> {
  await invitations.revoke(ctx, id);
}

/** @throws Problem INVALID_TOKEN for an open invitation whose sender could not send it today, which is revoked */
export async function revokeUnbacked(ctx: Ctx, token: string): Promise<void> {
  await invitations.revokeUnbacked(ctx, token);
}

/** An invitation as the holder of its link sees it. */
export type OpenInvitation = { id: InvitationId; email: string; roles: string[]; projectId: ProjectId };

/**
 * The open invitation of a link. Served by invitations_token.
 * @throws Problem INVALID_TOKEN
 */
export async function findInvitation(
  ctx: (Pick<Ctx, 'db'> | Pick<TxCtx, 'db'>) &
    Pick<Ctx, 'now'> & { scope: { workspaceId: WorkspaceId; environment: Environment } },
  token: string,
): Promise<OpenInvitation> {
  const row = await ctx.db
    .selectFrom('invitations')
    .select(['id', 'email', 'roles', 'project_id as projectId'])
    .where(acrossProjects(ctx))
    .where('token_hash', '=', hashSecret(token))
    .where(isOpen(ctx))
    .executeTakeFirst();
  if (!row)
    throw problem('INVALID_TOKEN', 'The invitation is unknown, was used, revoked or has expired. Ask for a new one.');
  return row;
}

/**
 * The project of an invitation, found by {@link findInvitation}'s rules.
 * @throws Problem INVALID_TOKEN, also while the project is closed
 */
export async function projectOfInvitation(ctx: Ctx, token: string): Promise<ProjectId> {
  const { projectId } = await findInvitation(ctx, token);
  if (await isClosed(ctx.system, { ...ctx.scope, projectId })) throw problem('INVALID_TOKEN');
  return projectId;
}

/**
 * Accepts an invitation: the user becomes a member of the project with the invitation's roles, and of its organization.
 * @throws Problem INVALID_TOKEN when it is not open or another project's, or its sender could not send it today; CONFLICT
 * while the organization is full
 */
export async function acceptInvitation(tx: TxCtx, token: string, userId: UserId): Promise<void> {
  const { id, email, roles, ...row } = await invitations.accept(tx, token);
  const memberId = await addMember(tx, userId);
  await addRoles(tx, { memberId, userId }, roles);
  if (row.organization_id)
    await joinOrganization(tx, { organizationId: row.organization_id, memberId, userId }, row.roles_in_organization);
  await emit(tx, 'invitation.accepted', { invitationId: id, email, userId });
}

/** The invitations to any of these addresses, in all projects of the realm. */
export async function invitationsTo(ctx: Pick<Ctx, 'db' | 'scope' | 'now'>, emails: readonly string[]) {
  const rows = await ctx.db
    .selectFrom('invitations')
    .selectAll()
    .where(acrossProjects(ctx))
    .where('email', '=', sql<string>`any(${[...emails]})`)
    .orderBy('id', 'desc')
    .execute();
  return rows.map((row) => ({ ...recordOf(ctx, row), projectId: row.project_id }));
}

/** Removes the invitations to any of these addresses. */
export async function removeInvitations(tx: TxCtx, emails: readonly string[]): Promise<void> {
  await tx.db
    .deleteFrom('invitations')
    .where(acrossProjects(tx))
    .where('email', '=', sql<string>`any(${[...emails]})`)
    .execute();
}
