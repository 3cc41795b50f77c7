import { type Static, Type } from 'typebox';
import {
  type BrandingImages,
  changeBranding,
  changeImage,
  ImageRef,
  type OrganizationBranding,
  type OrganizationBrandingChanges,
  readBranding,
  readImages,
} from '#branding';
import { emit } from '#events';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { OrganizationId } from '#platform/ids.ts';
import { changeInside } from './organization-insiders.ts';
import { getOrganization, lockOrganization, OrganizationRef } from './organizations.ts';
import { getOwnOrganization } from './own-organizations.ts';

type Changes = Static<typeof OrganizationBrandingChanges>;
type Images = Static<typeof BrandingImages>;
type Use = Static<typeof ImageRef>['use'];

/** An image of an organization, in a path. */
export const ImageOfOrganization = Type.Object({ ...OrganizationRef.properties, ...ImageRef.properties });

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

/** @throws Problem NOT_FOUND */
export async function getOrganizationImages(ctx: Ctx | TxCtx, id: OrganizationId): Promise<Images> {
  await getOrganization(ctx, id);
  return readImages(ctx, id);
}

/**
 * Stores an image of an organization, or removes it.
 * @param content in base64; null removes the image
 * @throws Problem NOT_FOUND, VALIDATION_FAILED
 */
export function changeOrganizationImage(
  ctx: Ctx | TxCtx,
  id: OrganizationId,
  { use, content }: { use: Use; content: string | null },
): Promise<Images> {
  return transaction(ctx, async (tx) => {
    const { name } = await lockOrganization(tx, id);
    await emit(tx, 'organization.branding.changed', { organizationId: id, name, fields: [use] });
    return changeImage(tx, { organizationId: id, use }, content);
  });
}

/** @throws Problem NOT_FOUND, MEMBERSHIP_REQUIRED */
export async function getOwnImages(ctx: Ctx, id: OrganizationId): Promise<Images> {
  await getOwnOrganization(ctx, id);
  return readImages(ctx, id);
}

/** @throws Problem NOT_FOUND, VALIDATION_FAILED, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, MEMBERSHIP_REQUIRED */
export function changeOwnImage(
  ctx: Ctx,
  id: OrganizationId,
  image: { use: Use; content: string | null },
): Promise<Images> {
  return changeInside(ctx, id, 'org.profile:write', (tx) => changeOrganizationImage(tx, id, image));
}
