import { type RawBuilder, sql } from 'kysely';
import { usersById } from '#people';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { domainOf } from '#platform/email-address.ts';
import type { MemberId, OrganizationId } from '#platform/ids.ts';
import type { EnteringMember } from '#platform/part.ts';
import { Problem } from '#platform/problem.ts';
import { inScope } from '#platform/scoped.ts';
import { isIn, joinOrganization } from './organization-members.ts';
import { getOrganization } from './organizations.ts';

/**
 * SQL: whether the project has a mail domain whose people join an organization. Most projects have none. Served by
 * organization_domains_joined_by.
 */
export function hasJoiningDomain({ scope }: Pick<Ctx, 'scope'>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from organization_domains where workspace_id = ${scope.workspaceId}
    and project_id = ${scope.projectId} and environment = ${scope.environment} and status = 'verified' and auto_join)`;
}

/**
 * Adds a person who signs in to the organization that has verified the domain of their verified address, if people join
 * it by that domain. If the organization is full, blocked or deleted at the same time, the person does not join it,
 * and the sign-in succeeds nevertheless. Served by organization_domains_joined_by.
 */
export async function joinByDomain(tx: TxCtx, { memberId, userId }: EnteringMember): Promise<void> {
  const user = (await usersById(tx, [userId])).get(userId);
  if (!user?.emailVerified || !user.email) return;
  const domain = await tx.db
    .selectFrom('organization_domains')
    .select(['organization_id as organizationId', 'roles'])
    .where(inScope(tx))
    .where('status', '=', 'verified')
    .where('auto_join', '=', true)
    .where('host', '=', domainOf(user.email))
    .executeTakeFirst();
  if (!domain) return;
  const { organizationId, roles } = domain;
  try {
    if (await isNewIn(tx, organizationId, memberId))
      await joinOrganization(tx, { organizationId, memberId, userId }, roles);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

/** Whether the organization is active, and the person has never been a member of it. Served by primary keys. */
export async function isNewIn(tx: TxCtx, organizationId: OrganizationId, memberId: MemberId): Promise<boolean> {
  const { status } = await getOrganization(tx, organizationId);
  if (status === 'blocked' || (await isIn(tx, organizationId, memberId))) return false;
  const departed = await tx.db
    .selectFrom('organization_departures')
    .select('member_id')
    .where(inScope(tx))
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return departed === undefined;
}
