import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { organizationRates } from '#organization-limits';
import { inside, lockKnownRoles } from '#organizations';
import type { Ctx } from '#platform/ctx.ts';
import { mailboxOf } from '#platform/email-address.ts';
import { IdSchema, type OrganizationId, type UserId } from '#platform/ids.ts';
import { limitKey } from '#platform/limits.ts';
import type { Page } from '#platform/page.ts';
import { problem, problemWithRetry } from '#platform/problem.ts';
import { nullable } from '#platform/schemas.ts';
import {
  Invitation,
  type InvitationId,
  InvitationQuery,
  type InvitationRow,
  NewInvitation,
} from './invitation-records.ts';
import type { RequireToGrant } from './invitations.ts';
import {
  getInvitation,
  invite,
  listInvitations,
  type MayInvite,
  resendInvitation,
  revokeInvitation,
} from './project-invitations.ts';

const {
  roles: _projectRoles,
  organizationId: _organizationId,
  organizationRoles: roles,
  ...new_
} = NewInvitation.properties;
/** An invitation that a member of the organization sends; `roles` are those in the organization. */
export const NewOrganizationInvitation = Type.Object({ ...new_, roles }, { additionalProperties: false });

/** An invitation as a member of the organization sees it. */
export const OrganizationInvitation = Type.Object(
  {
    id: Invitation.properties.id,
    email: Invitation.properties.email,
    roles: Invitation.properties.organizationRoles,
    status: Invitation.properties.status,
    invitedBy: nullable(IdSchema('usr')),
    expiresAt: Invitation.properties.expiresAt,
    createdAt: Invitation.properties.createdAt,
  },
  { title: 'OrganizationInvitation' },
);
type OrganizationInvitation = Static<typeof OrganizationInvitation>;

const { organizationId: _filter, ...query } = InvitationQuery.properties;
export const OrganizationInvitationQuery = Type.Object(query);

type Authority = ReturnType<typeof inside.authority>;

/** An invitation to an organization. */
type Ref = { organizationId: OrganizationId; invitationId: InvitationId };

function recordOf({ id, email, organizationRoles, status, ...invitation }: Invitation): OrganizationInvitation {
  const { invitedBy, expiresAt, createdAt } = invitation;
  return { id, email, roles: organizationRoles, status, invitedBy: userIdIn(invitedBy), expiresAt, createdAt };
}

/** Members of an organization see people only, not the applications of the project. */
function userIdIn(inviter: string | null): UserId | null {
  return Value.Check(IdSchema('usr'), inviter) ? inviter : null;
}

/**
 * The invitations to an organization, newest first.
 * @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, INVALID_CURSOR
 */
export async function listInvitationsInside(
  ctx: Ctx,
  organizationId: OrganizationId,
  wanted: Static<typeof OrganizationInvitationQuery>,
): Promise<Page<OrganizationInvitation>> {
  await inside.require(ctx, organizationId, 'org.invitations:read');
  const { items, nextCursor } = await listInvitations(ctx, { ...wanted, organizationId });
  return { items: items.map(recordOf), nextCursor };
}

/** @throws Problem NOT_FOUND, also for an invitation to another organization, AUTHORIZATION_DENIED */
export async function getInvitationInside(ctx: Ctx, ref: Ref): Promise<OrganizationInvitation> {
  await inside.require(ctx, ref.organizationId, 'org.invitations:read');
  return recordOf(await findInvitationTo(ctx, ref));
}

/** @throws Problem NOT_FOUND, also for an invitation to another organization */
export async function findInvitationTo(ctx: Ctx, { organizationId, invitationId }: Ref): Promise<Invitation> {
  const invitation = await getInvitation(ctx, invitationId);
  if (invitation.organizationId !== organizationId) throw problem('NOT_FOUND');
  return invitation;
}

/**
 * Invites a person to the organization, and with it to the project, without roles of the project.
 * @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED for a role that grants more than the sender has
 * in the organization, ALREADY_EXISTS, CONFLICT while it is full, VALIDATION_FAILED, RATE_LIMIT_EXCEEDED
 */
export async function inviteInside(
  ctx: Ctx,
  organizationId: OrganizationId,
  { roles: organizationRoles = [], ...invitation }: Static<typeof NewOrganizationInvitation>,
): Promise<OrganizationInvitation> {
  await inside.require(ctx, organizationId, 'org.invitations:write');
  await countInvitation(ctx, organizationId, invitation.email);
  const may = invitingAs(inside.authority(organizationId));
  return recordOf(await invite(ctx, { ...invitation, organizationId, organizationRoles }, may));
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, CONFLICT, RATE_LIMIT_EXCEEDED */
export async function resendInside(ctx: Ctx, ref: Ref): Promise<OrganizationInvitation> {
  const { organizationId, invitationId } = ref;
  await inside.require(ctx, organizationId, 'org.invitations:write');
  const { email } = await findInvitationTo(ctx, ref);
  await countInvitation(ctx, organizationId, email);
  return recordOf(
    await resendInvitation(ctx, invitationId, insideOnly(organizationId, inside.authority(organizationId))),
  );
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, CONFLICT */
export async function revokeInside(ctx: Ctx, { organizationId, invitationId }: Ref): Promise<void> {
  await inside.require(ctx, organizationId, 'org.invitations:write');
  await revokeInvitation(ctx, invitationId, insideOnly(organizationId, inside.authority(organizationId)));
}

/**
 * Limits the mails that people of an organization can send through it.
 * @throws Problem RATE_LIMIT_EXCEEDED
 */
export async function countInvitation(ctx: Ctx, organizationId: OrganizationId, email: string): Promise<void> {
  const { 'organization-invitations': all, 'organization-invitations-address': one } = organizationRates(ctx.system);
  const { workspaceId, environment } = ctx.scope;
  const counted = await Promise.all([
    all.take(ctx, limitKey(organizationId)),
    one.take(ctx, limitKey(workspaceId, environment, mailboxOf(email))),
  ]);
  const refused = counted.find(({ allowed }) => !allowed);
  if (refused) throw problemWithRetry('RATE_LIMIT_EXCEEDED', refused.retryAfter);
}

/** An authority in the organization, for new invitations. */
export function invitingAs(may: Authority): MayInvite {
  return (tx, act, { inside: given }) => may(tx, `invitation.${act}`, given);
}

/** Allows changes only of invitations to the organization, and only of those that give no roles of the project. */
export function insideOnly(organizationId: OrganizationId, may: Authority): RequireToGrant<InvitationRow> {
  return async (tx, act, row) => {
    if (row.organization_id !== organizationId) throw problem('NOT_FOUND');
    if (row.roles.length > 0)
      throw problem('AUTHORIZATION_DENIED', 'This invitation gives roles of the project. Ask its administrators.');
    await may(tx, `invitation.${act}`, await lockKnownRoles(tx, row.roles_in_organization));
  };
}
