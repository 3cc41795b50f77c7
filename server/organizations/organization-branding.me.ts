import { BrandingImages, ImageUpload, OrganizationBranding, OrganizationBrandingChanges } from '#branding';
import { del, get, patch, put, type Routes } from '#platform/route.ts';
import {
  changeOwnBranding,
  changeOwnImage,
  getOwnBranding,
  getOwnImages,
  ImageOfOrganization,
} from './organization-branding.ts';
import { PROBLEMS_INSIDE } from './organization-insiders.ts';
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
    problems: PROBLEMS_INSIDE,
    handler: (request) => changeOwnBranding(request.ctx, request.params.organizationId, request.body),
  }),
  get(`${PATH}/images`, {
    permission: 'customer',
    summary: 'Read the uploaded images of one of my organizations',
    params: OrganizationRef,
    responses: { 200: BrandingImages },
    etag: true,
    problems: ['NOT_FOUND', 'MEMBERSHIP_REQUIRED'],
    handler: (request) => getOwnImages(request.ctx, request.params.organizationId),
  }),
  put(`${PATH}/images/:use`, {
    changes: `${PATH}/images`,
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Upload an image of one of my organizations',
    description: 'Takes `org.profile:write` in it.',
    params: ImageOfOrganization,
    body: ImageUpload,
    responses: { 200: BrandingImages },
    problems: PROBLEMS_INSIDE,
    handler: ({ ctx, params: { organizationId, use }, body: { content } }) =>
      changeOwnImage(ctx, organizationId, { use, content }),
  }),
  del(`${PATH}/images/:use`, {
    changes: `${PATH}/images`,
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Remove an image of one of my organizations',
    description: 'Takes `org.profile:write` in it.',
    params: ImageOfOrganization,
    responses: { 200: BrandingImages },
    problems: PROBLEMS_INSIDE,
    handler: ({ ctx, params: { organizationId, use } }) => changeOwnImage(ctx, organizationId, { use, content: null }),
  }),
];
