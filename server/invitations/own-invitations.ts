import { type Static, Type } from 'typebox';
import { organizationNames } from '#organizations';
import { usersById } from '#people';
import { type Ctx, customerOf, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import type { Page, PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { nullable } from '#platform/schemas.ts';
import { Invitation, type InvitationId } from './invitation-records.ts';
import { acceptInvitation, declineInvitation, openInvitationsTo, revokeUnbacked } from './project-invitations.ts';

const { id, roles, organizationRoles, expiresAt, createdAt } = Invitation.properties;

/** An invitation as the person whom it is for sees it. */
export const OwnInvitation = Type.Object(
  {
    id,
    organization: nullable(
      Type.Object(
        { id: IdSchema('org'), name: Type.String() },
        { description: 'Null for an invitation to the project only.' },
      ),
    ),
    roles,
    organizationRoles,
    expiresAt,
    createdAt,
  },
  { title: 'OwnInvitation' },
);
type OwnInvitation = Static<typeof OwnInvitation>;

/** The address that invitations reach the signed-in person at; null unless they have proven it. */
async function provenAddress(ctx: Ctx): Promise<string | null> {
  const { userId } = customerOf(ctx);
  const user = (await usersById(ctx, [userId])).get(userId);
  return user?.emailVerified ? user.email : null;
}

/** The open invitations to the address of the signed-in person in the project of the session, newest first. */
export async function listOwnInvitations(ctx: Ctx, query: Static<typeof PageQuery>): Promise<Page<OwnInvitation>> {
  const email = await provenAddress(ctx);
  if (email === null) return { items: [], nextCursor: null };
  const { items, nextCursor } = await openInvitationsTo(ctx, email, query);
  const names = await organizationNames(
    ctx,
    items.flatMap(({ organizationId }) => organizationId ?? []),
  );
  return {
    items: items.map(({ organizationId, email: _, status: _status, invitedBy: _by, ...invitation }) => ({
      ...invitation,
      organization: organizationId && { id: organizationId, name: names.get(organizationId) ?? '' },
    })),
    nextCursor,
  };
}

/**
 * The signed-in person accepts an invitation to their address, as by its link.
 * @throws Problem NOT_FOUND when it is not open, for another address or one that is not proven, or if its sender could not send it
 * today; CONFLICT while the organization is full
 */
export async function acceptOwnInvitation(ctx: Ctx, invitationId: InvitationId): Promise<void> {
  const email = await provenAddress(ctx);
  if (email === null) throw problem('NOT_FOUND');
  const ref = { id: invitationId, email };
  await revokeUnbacked(ctx, ref);
  await transaction(ctx, (tx) => acceptInvitation(tx, ref, customerOf(tx).userId));
}

/**
 * The signed-in person declines an invitation to their address.
 * @throws Problem NOT_FOUND when it is not open, for another address or one that is not proven
 */
export async function declineOwnInvitation(ctx: Ctx, invitationId: InvitationId): Promise<void> {
  const email = await provenAddress(ctx);
  if (email === null) throw problem('NOT_FOUND');
  await transaction(ctx, (tx) => declineInvitation(tx, { id: invitationId, email }, customerOf(tx).userId));
}
