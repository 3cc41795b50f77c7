import type { OrganizationId } from '#platform/ids.ts';
import type { ScimTokenId } from './tokens.ts';

/** Where directories find the SCIM service on the API host. */
export const SCIM_PATH = '/scim/v2';

/** The directory that sends a request, known by its token. */
export type Directory = {
  organizationId: OrganizationId;
  tokenId: ScimTokenId;
  /** The address of the SCIM service, without a slash at the end. */
  address: string;
};
