import { type Static, Type } from 'typebox';
import { AuditEvent, AuditQuery, searchAudit } from '#audit';
import type { Ctx } from '#platform/ctx.ts';
import type { OrganizationId } from '#platform/ids.ts';
import type { Page, PageQuery } from '#platform/page.ts';
import { nullable } from '#platform/schemas.ts';
import { excessInside } from './organization-authority.ts';
import { asInsider, changeInside, requireInside } from './organization-insiders.ts';
import {
  getOrganizationMember,
  listOrganizationMembers,
  OrganizationMember,
  type OrganizationMemberQuery,
  type OrganizationMemberRef,
  removeOrganizationMember,
  setOrganizationMemberRoles,
} from './organization-members.ts';
import { listOrganizationRoles } from './organization-roles.ts';
import { updateOrganization } from './organizations.ts';
import { getOwnOrganization, type OwnOrganization, type OwnOrganizationChanges } from './own-organizations.ts';

/** A member of an organization as other members see them: without phone number and user name. */
const { phone: _phone, username: _username, ...shown } = OrganizationMember.properties;
export const Colleague = Type.Object(shown, { title: 'Colleague' });
type Colleague = Static<typeof Colleague>;

function colleagueOf({
  phone: _phone,
  username: _username,
  ...colleague
}: Static<typeof OrganizationMember>): Colleague {
  return colleague;
}

/** A role as a member of the organization sees it. */
export const RoleInOrganization = Type.Object(
  {
    key: Type.String(),
    name: Type.String(),
    description: Type.String(),
    permissions: Type.Array(Type.String()),
    grantable: Type.Boolean({ description: 'Whether I may give and take it in this organization.' }),
  },
  { title: 'RoleInOrganization' },
);
type RoleInOrganization = Static<typeof RoleInOrganization>;

/** An entry of the audit log as a member of the organization sees it. Of operators and clients it shows only the kind. */
export const OrganizationAuditEvent = Type.Object(
  {
    id: AuditEvent.properties.id,
    occurredAt: AuditEvent.properties.occurredAt,
    action: AuditEvent.properties.action,
    actor: Type.Object({
      kind: nullable(Type.String()),
      userId: nullable(Type.String()),
      setupLinkId: nullable(
        Type.String({ description: 'The set-up link that the change was made with; `GET …/setup-links` has it.' }),
      ),
    }),
    data: AuditEvent.properties.data,
  },
  { title: 'OrganizationAuditEvent' },
);
type OrganizationAuditEvent = Static<typeof OrganizationAuditEvent>;
const { action: _action, actor: _actor, resource: _resource, ...auditQuery } = AuditQuery.properties;
export const OrganizationAuditQuery = Type.Object(auditQuery);

/** The actions in the audit log that members of the organization can read. */
const AUDITED = ['organization.*', 'invitation.*', 'domain.*'];

type Ref = Static<typeof OrganizationMemberRef>;

/**
 * Changes name or slug.
 * @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, ALREADY_EXISTS for a slug that is taken
 */
export function updateOwnOrganization(
  ctx: Ctx,
  id: OrganizationId,
  changes: Static<typeof OwnOrganizationChanges>,
): Promise<OwnOrganization> {
  return changeInside(ctx, id, 'org.profile:write', async (tx) => {
    await updateOrganization(tx, id, changes);
    return getOwnOrganization(tx, id);
  });
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED */
export async function listColleagues(
  ctx: Ctx,
  id: OrganizationId,
  query: Static<typeof OrganizationMemberQuery>,
): Promise<Page<Colleague>> {
  await requireInside(ctx, id, 'org.members:read');
  const page = await listOrganizationMembers(ctx, id, query);
  return { items: page.items.map(colleagueOf), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED */
export async function getColleague(ctx: Ctx, ref: Ref): Promise<Colleague> {
  await requireInside(ctx, ref.organizationId, 'org.members:read');
  return colleagueOf(await getOrganizationMember(ctx, ref));
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, LAST_OWNER, VALIDATION_FAILED */
export function setRolesOfColleague(ctx: Ctx, ref: Ref, roles: readonly string[]): Promise<Colleague> {
  const { organizationId } = ref;
  return changeInside(ctx, organizationId, 'org.members:write', async (tx) =>
    colleagueOf(await setOrganizationMemberRoles(tx, ref, roles, asInsider(organizationId))),
  );
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, LAST_OWNER */
export function removeColleague(ctx: Ctx, ref: Ref): Promise<void> {
  const { organizationId } = ref;
  return changeInside(ctx, organizationId, 'org.members:write', (tx) =>
    removeOrganizationMember(tx, ref, asInsider(organizationId)),
  );
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED */
export async function listRolesInside(
  ctx: Ctx,
  id: OrganizationId,
  query: Static<typeof PageQuery>,
): Promise<Page<RoleInOrganization>> {
  const { permissions: held } = await requireInside(ctx, id, 'org.members:read');
  const page = await listOrganizationRoles(ctx, query);
  const items = page.items.map((role) => {
    const { key, name, description, permissions } = role;
    const grantable = excessInside(held, 'organization.member.roles.replace', [role]) === undefined;
    return { key, name, description, permissions, grantable };
  });
  return { items, nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED */
export async function auditOfOrganization(
  ctx: Ctx,
  id: OrganizationId,
  query: Static<typeof OrganizationAuditQuery>,
): Promise<Page<OrganizationAuditEvent>> {
  await requireInside(ctx, id, 'org.audit:read');
  const page = await searchAudit(ctx, { ...query, resource: id, action: AUDITED });
  const items = page.items.map(({ id: entryId, occurredAt, action, actor, data }) => {
    const userId = actor?.kind === 'customer' && 'userId' in actor ? String(actor.userId) : null;
    const setupLinkId = actor?.kind === 'setup_link' && 'setupLinkId' in actor ? String(actor.setupLinkId) : null;
    return { id: entryId, occurredAt, action, actor: { kind: actor?.kind ?? null, userId, setupLinkId }, data };
  });
  return { items, nextCursor: page.nextCursor };
}
