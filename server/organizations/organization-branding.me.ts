import { OrganizationBranding, OrganizationBrandingChanges } from '#branding';
import { get, patch, type Routes } from '#platform/route.ts';
import { changeOwnBranding, getOwnBranding } from './organization-branding.ts';
import { PROBLEMS_OF_CHANGE_INSIDE } from './organization-insiders.ts';
import { OrganizationRef } from './organizations.ts';

const PATH = '/v1/me/organizations/:organizationId/branding';

/** The branding of an organization, for its members. */
export const ownBrandingRoutes: Routes = [
  get(PATH, {
    permission: 'customer',
    etag: true,
    summary: 'Read the branding of one of my organizations',
    params: OrganizationRef,
    responses: { 200: OrganizationBranding },
    problems: ['NOT_FOUND', 'MEMBERSHIP_REQUIRED'],
    handler: (request) => getOwnBranding(request.ctx, request.params.organizationId),
  }),
  patch(PATH, {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Change the branding of one of my organizations',
    description: 'Takes `org.profile:write` in it. Null stands for the project’s branding.',
    params: OrganizationRef,
    body: OrganizationBrandingChanges,
    responses: { 200: OrganizationBranding },
    problems: PROBLEMS_OF_CHANGE_INSIDE,
    handler: (request) => changeOwnBranding(request.ctx, request.params.organizationId, request.body),
  }),
];
