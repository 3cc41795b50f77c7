import type { Static } from 'typebox';
import type { Ctx } from '#platform/ctx.ts';
import type { OrganizationId } from '#platform/ids.ts';
import type { Page, PageQuery } from '#platform/page.ts';
import { lookUpOrganizationDomain, verifyOrganizationDomain } from './organization-domain-checks.ts';
import {
  changeOrganizationDomain,
  claimOrganizationDomain,
  type DomainRef,
  deleteOrganizationDomain,
  domainRecord,
  findOrganizationDomain,
  listOrganizationDomains,
  type OrganizationDomain,
  type OrganizationDomainChanges,
} from './organization-domains.ts';
import { asInsider, changeInside, requireInside } from './organization-insiders.ts';

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, INVALID_CURSOR */
export async function listOwnDomains(
  ctx: Ctx,
  organizationId: OrganizationId,
  query: Static<typeof PageQuery>,
): Promise<Page<OrganizationDomain>> {
  await requireInside(ctx, organizationId, 'org.domains:read');
  return listOrganizationDomains(ctx, organizationId, query);
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED */
export async function getOwnDomain(ctx: Ctx, ref: DomainRef): Promise<OrganizationDomain> {
  await requireInside(ctx, ref.organizationId, 'org.domains:read');
  return domainRecord(await findOrganizationDomain(ctx, ref));
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, VALIDATION_FAILED, ALREADY_EXISTS, CONFLICT */
export function claimOwnDomain(ctx: Ctx, organizationId: OrganizationId, host: string): Promise<OrganizationDomain> {
  return changeInside(ctx, organizationId, 'org.domains:write', (tx) =>
    claimOrganizationDomain(tx, organizationId, host),
  );
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, VALIDATION_FAILED */
export function changeOwnDomain(
  ctx: Ctx,
  ref: DomainRef,
  changes: Static<typeof OrganizationDomainChanges>,
): Promise<OrganizationDomain> {
  const { organizationId } = ref;
  return changeInside(ctx, organizationId, 'org.domains:write', (tx) =>
    changeOrganizationDomain(tx, ref, changes, asInsider(organizationId)),
  );
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED */
export function deleteOwnDomain(ctx: Ctx, ref: DomainRef): Promise<void> {
  return changeInside(ctx, ref.organizationId, 'org.domains:write', (tx) => deleteOrganizationDomain(tx, ref));
}

/**
 * @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, RATE_LIMIT_EXCEEDED, DOMAIN_NOT_VERIFIED,
 * ALREADY_EXISTS
 */
export async function verifyOwnDomain(ctx: Ctx, ref: DomainRef): Promise<OrganizationDomain> {
  await requireInside(ctx, ref.organizationId, 'org.domains:write');
  return verifyOrganizationDomain(ctx, await lookUpOrganizationDomain(ctx, ref));
}
