import { sql } from 'kysely';
import type { Static } from 'typebox';
import { connectionProofs } from '#connections';
import { authAddressOf } from '#domains';
import { projectOf } from '#environments';
import { emit, emitAll } from '#events';
import { addMember, addRoles, authorityNow, lockRoles, requireAuthority } from '#members';
import {
  inside,
  isAtInvitedDomain,
  joinOrganization,
  lockKnownRoles,
  lockOrganization,
  lockOrganizationRoles,
  ownPermissions,
  requireRoomInOrganization,
} from '#organizations';
import { type Ctx, type Environment, responsibleFor, type TxCtx, transaction } from '#platform/ctx.ts';
import { normaliseEmail } from '#platform/identifiers.ts';
import {
  newId,
  type OrganizationId,
  type ProjectId,
  type SetupLinkId,
  type UserId,
  type WorkspaceId,
} from '#platform/ids.ts';
import { hashSecret } from '#platform/keyring.ts';
import type { Page, PageQuery } from '#platform/page.ts';
import { Problem, problem } from '#platform/problem.ts';
import { acrossProjects, inScope } from '#platform/scoped.ts';
import { findSession } from '#sessions';
import { reauthenticationRequired } from '#step-up';
import { isClosed } from '#tenancy';
import {
  eventDataOf,
  type Invitation,
  type InvitationId,
  type InvitationQuery,
  type InvitationRow,
  type NewInvitation,
  recordOf,
} from './invitation-records.ts';
import { type InvitationRef, Invitations, isOpen, type RequireToGrant } from './invitations.ts';

const invitations = new Invitations<InvitationRow>({
  table: 'invitations',
  within: ({ workspaceId, projectId, environment }) =>
    sql`workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}`,
  emit: (tx, what, row) => emit(tx, `invitation.${what}`, eventDataOf(row)),
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
  letter: async (tx, { locale, organization_id: organizationId }, token) => {
    const link = `${await authAddressOf(tx)}/link/invitation?token=${token}`;
    return { sender: tx, locale, variables: { link }, organizationId };
  },
  requireToGrant: async (tx, act, row) =>
    asAdministrator(tx, act, {
      organizationId: row.organization_id,
      roles: await lockRoles(tx, row.roles, 'skip'),
      inside: await lockKnownRoles(tx, row.roles_in_organization),
    }),
  requireToReopen: async (tx, { organization_id: organizationId, email }) => {
    if (organizationId === null) return;
    await requireRoom(tx, organizationId);
    if (!(await isAtInvitedDomain(tx, organizationId, email)))
      throw problem('CONFLICT', 'The address is no longer at a verified mail domain of this organization.');
  },
  lockTarget: async (tx, row) => {
    if (row.organization_id === null) return;
    await lockOrganization(tx, row.organization_id).catch((error: unknown) => {
      // It was removed, and its invitations with it.
      if (!(error instanceof Problem)) throw error;
    });
  },
  isBacked: async (tx, row) => (await isBackedByProject(tx, row)) || (await isBackedInside(tx, row)),
});

/** What an invitation gives. */
type Gift = {
  organizationId: OrganizationId | null;
  roles: readonly { permissions: readonly string[] }[];
  /** Its roles in the organization. */
  inside: Awaited<ReturnType<typeof lockOrganizationRoles>>;
};

/** @throws Problem AUTHORIZATION_DENIED unless the actor may give everything that the invitation gives */
export type MayInvite = (tx: TxCtx, act: 'create' | 'resend' | 'revoke', gift: Gift) => Promise<void>;

function grantsOf({ roles, inside }: Pick<Gift, 'roles' | 'inside'>): string[] {
  return [
    ...roles.flatMap(({ permissions }) => permissions),
    ...inside.flatMap(({ permissions }) => ownPermissions(permissions)),
  ];
}

/**
 * The authority of actors who invite to the project. Inviting to an organization requires the same permission as adding a
 * member to it.
 */
const asAdministrator: MayInvite = async (tx, act, gift) => {
  if (gift.organizationId !== null && !(await authorityNow(tx, tx.actor, 'organization.member.add')))
    throw problem('AUTHORIZATION_DENIED', { extensions: { requiredPermission: 'organizations:write' } });
  await requireAuthority(tx, `invitation.${act}`, { grants: grantsOf(gift) });
};

/** Whether the sender may still invite to the project, and has the permissions that the invitation grants now. */
async function isBackedByProject(tx: TxCtx, row: InvitationRow): Promise<boolean> {
  const roles = await lockRoles(tx, row.roles, 'skip');
  const inside = await lockKnownRoles(tx, row.roles_in_organization);
  const mayInvite = await authorityNow(tx, row.invited_by, 'invitation.accept');
  const mayAdd = !row.organization_id || (await authorityNow(tx, row.invited_by, 'organization.member.add'));
  return Boolean(mayInvite?.covers(grantsOf({ roles, inside })) && mayAdd);
}

/**
 * Whether the sender may still invite as a member of the organization. Such an invitation gives no roles of the project.
 * The caller has locked the organization.
 */
async function isBackedInside(tx: TxCtx, row: InvitationRow): Promise<boolean> {
  const sender = responsibleFor(row.invited_by);
  if (row.organization_id === null || row.roles.length > 0 || sender.kind !== 'customer') return false;
  const who = { organizationId: row.organization_id, userId: sender.userId };
  return inside.may(tx, who, 'invitation.create', await lockKnownRoles(tx, row.roles_in_organization));
}

/** Invitations of the project, newest first; those to an organization are served by invitations_to_organization. */
export async function listInvitations(
  ctx: Ctx,
  { organizationId, status, ...query }: Static<typeof InvitationQuery>,
): Promise<Page<Invitation>> {
  const inside = organizationId ? sql`organization_id = ${organizationId}` : sql`true`;
  const ended = status === 'revoked' || status === 'declined';
  const declined = ended ? sql`(declined_at is not null) = ${status === 'declined'}` : sql`true`;
  const only = { name: `${organizationId ?? 'all'} ${status ?? 'all'}`, where: sql`${inside} and ${declined}` };
  const wanted = { ...query, ...(status && { status: ended ? ('revoked' as const) : status }) };
  const { rows, nextCursor } = await invitations.list(ctx, wanted, only);
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
 * an unknown organization, VALIDATION_FAILED for an unknown role, CONFLICT while the organization is full
 */
export async function invite(
  ctx: Ctx | TxCtx,
  invitation: Static<typeof NewInvitation>,
  may: MayInvite = asAdministrator,
): Promise<Invitation> {
  const id = newId('inv', ctx.now);
  const { roles = [], organizationId = null, organizationRoles = [], locale = null } = invitation;
  return transaction(ctx, async (tx) => {
    const inside = await rolesInside(tx, organizationId, organizationRoles);
    const given = await lockRoles(tx, roles, 'refuse');
    await may(tx, 'create', { organizationId, roles: given, inside });
    if (organizationId !== null) {
      await requireRoom(tx, organizationId);
      if (!(await isAtInvitedDomain(tx, organizationId, normaliseEmail(invitation.email)))) throw foreignDomain();
    }
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
      declined_at: null,
    }));
    return recordOf(tx, row);
  });
}

function foreignDomain(): Problem {
  const errors = [{ pointer: '/body/email', message: 'is not at a verified mail domain of this organization' }];
  return problem('VALIDATION_FAILED', { extensions: { errors } });
}

/** The roles in the organization of a new invitation. */
async function rolesInside(tx: TxCtx, organizationId: OrganizationId | null, roles: readonly string[]) {
  const pointer = '/body/organizationRoles';
  if (organizationId !== null) {
    await lockOrganization(tx, organizationId);
    return lockOrganizationRoles(tx, roles, pointer);
  }
  if (roles.length === 0) return [];
  const errors = [{ pointer, message: 'need an `organizationId`' }];
  throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

/** Open invitations count as members. The caller has locked the organization, so that the maximum is exact. */
async function requireRoom(tx: TxCtx, organizationId: OrganizationId): Promise<void> {
  const { open } = await tx.db
    .selectFrom('invitations')
    .where(inScope(tx))
    .where('organization_id', '=', organizationId)
    .where(isOpen(tx))
    .select((eb) => eb.fn.countAll<number>().as('open'))
    .executeTakeFirstOrThrow();
  await requireRoomInOrganization(tx, organizationId, open);
}

/**
 * An expired invitation needs room in its organization, and a mail domain that the organization allows, as a new one does.
 * @throws Problem NOT_FOUND, CONFLICT, AUTHORIZATION_DENIED
 */
export async function resendInvitation(
  ctx: Ctx | TxCtx,
  id: InvitationId,
  requireToGrant?: RequireToGrant<InvitationRow>,
): Promise<Invitation> {
  return recordOf(ctx, await invitations.resend(ctx, id, requireToGrant));
}

/** @throws Problem NOT_FOUND, CONFLICT, AUTHORIZATION_DENIED */
export async function revokeInvitation(
  ctx: Ctx | TxCtx,
  id: InvitationId,
  requireToGrant?: RequireToGrant<InvitationRow>,
): Promise<void> {
  await invitations.revoke(ctx, id, requireToGrant);
}

/** @throws Problem INVALID_TOKEN, or NOT_FOUND for an id: for an open invitation whose sender could not send it today, which is revoked */
export async function revokeUnbacked(ctx: Ctx, ref: InvitationRef): Promise<void> {
  await invitations.revokeUnbacked(ctx, ref);
}

/** The open invitations of the project to an address, newest first. Served by invitations_open. */
export async function openInvitationsTo(
  ctx: Ctx,
  email: string,
  query: Static<typeof PageQuery>,
): Promise<Page<Invitation>> {
  const only = { name: `to ${email}`, where: sql`email = ${email}` };
  const { rows, nextCursor } = await invitations.list(ctx, { ...query, status: 'pending' }, only);
  return { items: rows.map((row) => recordOf(ctx, row)), nextCursor };
}

/** An invitation as the holder of its link sees it. */
export type OpenInvitation = {
  id: InvitationId;
  email: string;
  roles: string[];
  projectId: ProjectId;
  organizationId: OrganizationId | null;
};

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
    .select(['id', 'email', 'roles', 'project_id as projectId', 'organization_id as organizationId'])
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
 * Checks that the person proved themselves: the identity provider of an organization may not accept a role in the project.
 * @throws Problem REAUTHENTICATION_REQUIRED with `ownProof`
 */
async function requireOwnSession(tx: TxCtx): Promise<void> {
  if (tx.actor.kind !== 'customer') return;
  const session = await findSession(tx, tx.actor.sessionId);
  if (session && connectionProofs.sole(session.signInMethods).length > 0)
    throw reauthenticationRequired({ ownProof: true });
}

/**
 * Accepts an invitation: the user becomes a member of the project with the invitation's roles, and of its organization.
 * @throws Problem INVALID_TOKEN, or NOT_FOUND for an id, when it is not open or another project's, or its sender could not
 * send it today; CONFLICT while the organization is full; REAUTHENTICATION_REQUIRED for roles in the project, in a session
 * that a connection alone began
 */
export async function acceptInvitation(tx: TxCtx, ref: InvitationRef, userId: UserId): Promise<void> {
  const row = await invitations.accept(tx, ref);
  if (row.roles.length > 0) await requireOwnSession(tx);
  const memberId = await addMember(tx, userId);
  await addRoles(tx, { memberId, userId }, row.roles);
  if (row.organization_id)
    await joinOrganization(tx, { organizationId: row.organization_id, memberId, userId }, row.roles_in_organization);
  await emit(tx, 'invitation.accepted', { ...eventDataOf(row), userId });
}

/**
 * The person whom an invitation is for declines it.
 * @throws Problem NOT_FOUND when it is not open, another project's or for another address
 */
export async function declineInvitation(tx: TxCtx, ref: InvitationRef, userId: UserId): Promise<void> {
  const row = await invitations.findOpen(tx, ref);
  await tx.db
    .updateTable('invitations')
    .set({ revoked_at: tx.now, declined_at: tx.now })
    .where(inScope(tx))
    .where('id', '=', row.id)
    .execute();
  await emit(tx, 'invitation.declined', { ...eventDataOf(row), userId });
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

/** Revokes the open invitations that were sent by a set-up link. Served by invitations_to_organization. */
export async function revokeInvitationsOf(
  tx: TxCtx,
  { setupLinkId, organizationId }: { setupLinkId: SetupLinkId; organizationId: OrganizationId },
): Promise<void> {
  const rows = await tx.db
    .updateTable('invitations')
    .set({ revoked_at: tx.now })
    .where(inScope(tx))
    .where('organization_id', '=', organizationId)
    .where(sql<boolean>`invited_by->>'setupLinkId' = ${setupLinkId}`)
    .where(isOpen(tx))
    .returning(['id', 'email', 'organization_id'])
    .execute();
  await emitAll(
    tx,
    rows.map((row) => ({ type: 'invitation.revoked', data: eventDataOf(row) })),
  );
}
