import type { Static } from 'typebox';
import { changeBranding, type OrganizationBranding, type OrganizationBrandingChanges, readBranding } from '#branding';
import { emit } from '#events';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { OrganizationId } from '#platform/ids.ts';
import { changeInside } from './organization-insiders.ts';
import { getOrganization, lockOrganization } from './organizations.ts';
import { getOwnOrganization } from './own-organizations.ts';

type Changes = Static<typeof OrganizationBrandingChanges>;

/** @throws Problem NOT_FOUND */
export async function getOrganizationBranding(ctx: Ctx | TxCtx, id: OrganizationId): Promise<OrganizationBranding> {
  await getOrganization(ctx, id);
  return readBranding(ctx, id);
}

/** @throws Problem NOT_FOUND */
export function changeOrganizationBranding(
  ctx: Ctx | TxCtx,
  id: OrganizationId,
  changes: Changes,
): Promise<OrganizationBranding> {
  return transaction(ctx, async (tx) => {
    const { name } = await lockOrganization(tx, id);
    const branding = await changeBranding(tx, id, changes);
    const fields = Object.keys(changes).sort();
    await emit(tx, 'organization.branding.changed', { organizationId: id, name, fields });
    return branding;
  });
}

/** @throws Problem NOT_FOUND, MEMBERSHIP_REQUIRED */
export async function getOwnBranding(ctx: Ctx, id: OrganizationId): Promise<OrganizationBranding> {
  await getOwnOrganization(ctx, id);
  return readBranding(ctx, id);
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, MEMBERSHIP_REQUIRED */
export function changeOwnBranding(ctx: Ctx, id: OrganizationId, changes: Changes): Promise<OrganizationBranding> {
  return changeInside(ctx, id, 'org.profile:write', (tx) => changeOrganizationBranding(tx, id, changes));
}
