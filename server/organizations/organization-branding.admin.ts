import { OrganizationBranding, OrganizationBrandingChanges } from '#branding';
import { get, patch, type Routes } from '#platform/route.ts';
import { changeOrganizationBranding, getOrganizationBranding } from './organization-branding.ts';
import { OrganizationRef } from './organizations.ts';

const PATH = '/v1/admin/organizations/:organizationId/branding';

export const organizationBrandingRoutes: Routes = [
  get(PATH, {
    permission: 'organizations:read',
    etag: true,
    summary: 'Read the branding of an organization',
    params: OrganizationRef,
    responses: { 200: OrganizationBranding },
    problems: ['NOT_FOUND'],
    handler: (request) => getOrganizationBranding(request.ctx, request.params.organizationId),
  }),
  patch(PATH, {
    permission: 'organizations:write',
    stepUp: false,
    summary: 'Change the branding of an organization',
    description:
      'Shown on the pages of a sign-in from the moment when its organization is known, and in mails about the organization. Null stands for the project’s branding. Colours with too little contrast are adjusted.',
    params: OrganizationRef,
    body: OrganizationBrandingChanges,
    responses: { 200: OrganizationBranding },
    problems: ['NOT_FOUND'],
    handler: (request) => changeOrganizationBranding(request.ctx, request.params.organizationId, request.body),
  }),
];
