import { BrandingImages, ImageUpload, OrganizationBranding, OrganizationBrandingChanges } from '#branding';
import { del, get, patch, put, type Routes } from '#platform/route.ts';
import {
  changeOrganizationBranding,
  changeOrganizationImage,
  getOrganizationBranding,
  getOrganizationImages,
  ImageOfOrganization,
} from './organization-branding.ts';
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
  get(`${PATH}/images`, {
    permission: 'organizations:read',
    summary: 'Read the uploaded images of an organization',
    params: OrganizationRef,
    responses: { 200: BrandingImages },
    etag: true,
    problems: ['NOT_FOUND'],
    handler: (request) => getOrganizationImages(request.ctx, request.params.organizationId),
  }),
  put(`${PATH}/images/:use`, {
    changes: `${PATH}/images`,
    permission: 'organizations:write',
    stepUp: false,
    summary: 'Upload an image of an organization',
    description: 'Shown in place of the project’s, as its other branding. A logo comes before `logoUrl`.',
    params: ImageOfOrganization,
    body: ImageUpload,
    responses: { 200: BrandingImages },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params: { organizationId, use }, body: { content } }) =>
      changeOrganizationImage(ctx, organizationId, { use, content }),
  }),
  del(`${PATH}/images/:use`, {
    changes: `${PATH}/images`,
    permission: 'organizations:write',
    stepUp: false,
    summary: 'Remove an image of an organization',
    params: ImageOfOrganization,
    responses: { 200: BrandingImages },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params: { organizationId, use } }) =>
      changeOrganizationImage(ctx, organizationId, { use, content: null }),
  }),
];
