import type { OrganizationId } from '#platform/ids.ts';
import type { ScimTokenId } from './tokens.ts';

/** The directory that sends a request, known by its token. */
export type Directory = {
  organizationId: OrganizationId;
  tokenId: ScimTokenId;
  /** The address of the SCIM service, without a slash at the end. */
  address: string;
};
