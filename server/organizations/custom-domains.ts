import { type Static, Type } from 'typebox';
import {
  claimDomain,
  type Domain,
  deleteDomain,
  domainRecord,
  findDomain,
  listDomains,
  lookUpProof,
  verifyDomain,
} from '#domains';
import type { Ctx } from '#platform/ctx.ts';
import { IdSchema, type OrganizationId } from '#platform/ids.ts';
import type { Page, PageQuery } from '#platform/page.ts';
import { changeInside, requireInside } from './organization-insiders.ts';
import { getOrganization, OrganizationRef } from './organizations.ts';

export const CustomDomainRef = Type.Object({ ...OrganizationRef.properties, domainId: IdSchema('dom') });
type Ref = Static<typeof CustomDomainRef>;
type Query = Static<typeof PageQuery>;

/** @throws Problem NOT_FOUND, INVALID_CURSOR */
export async function listCustomDomains(ctx: Ctx, id: OrganizationId, query: Query): Promise<Page<Domain>> {
  await getOrganization(ctx, id);
  return listDomains(ctx, query, id);
}

/** @throws Problem NOT_FOUND, VALIDATION_FAILED, ALREADY_EXISTS, CONFLICT */
export async function claimCustomDomain(ctx: Ctx, id: OrganizationId, host: string): Promise<Domain> {
  await getOrganization(ctx, id);
  return claimDomain(ctx, host, id);
}

/** @throws Problem NOT_FOUND, AUTHORIZATION_DENIED, ORGANIZATION_BLOCKED, INVALID_CURSOR */
export async function listOwnCustomDomains(ctx: Ctx, id: OrganizationId, query: Query): Promise<Page<Domain>> {
  await requireInside(ctx, id, 'org.domains:read');
  return listDomains(ctx, query, id);
}

/** @throws Problem NOT_FOUND, AUTHORIZATION_DENIED, ORGANIZATION_BLOCKED */
export async function getOwnCustomDomain(ctx: Ctx, { organizationId, domainId }: Ref): Promise<Domain> {
  await requireInside(ctx, organizationId, 'org.domains:read');
  return domainRecord(await findDomain(ctx, domainId, organizationId));
}

/** @throws Problem NOT_FOUND, AUTHORIZATION_DENIED, ORGANIZATION_BLOCKED, VALIDATION_FAILED, ALREADY_EXISTS, CONFLICT */
export async function claimOwnCustomDomain(ctx: Ctx, id: OrganizationId, host: string): Promise<Domain> {
  await requireInside(ctx, id, 'org.domains:write');
  return claimDomain(ctx, host, id);
}

/** @throws Problem NOT_FOUND, AUTHORIZATION_DENIED, ORGANIZATION_BLOCKED */
export function deleteOwnCustomDomain(ctx: Ctx, { organizationId, domainId }: Ref): Promise<void> {
  return changeInside(ctx, organizationId, 'org.domains:write', async (tx) => {
    await findDomain(tx, domainId, organizationId);
    await deleteDomain(tx, domainId);
  });
}

/**
 * @throws Problem NOT_FOUND, AUTHORIZATION_DENIED, ORGANIZATION_BLOCKED, DOMAIN_NOT_VERIFIED, ALREADY_EXISTS, CONFLICT,
 * RATE_LIMIT_EXCEEDED
 */
export async function verifyOwnCustomDomain(ctx: Ctx, { organizationId, domainId }: Ref): Promise<Domain> {
  await requireInside(ctx, organizationId, 'org.domains:write');
  return verifyDomain(ctx, await lookUpProof(ctx, domainId, organizationId));
}
