import { get, patch, type Routes } from '#platform/route.ts';
import { OrganizationRef } from './organizations.ts';
import {
  changeOrganizationPolicy,
  getOrganizationPolicy,
  OrganizationPolicy,
  OrganizationPolicyChanges,
} from './policies.ts';

const PATH = '/v1/admin/organizations/:organizationId/policy';

export const organizationPolicyRoutes: Routes = [
  get(PATH, {
    permission: 'organizations:read',
    etag: true,
    summary: 'Read the policy of an organization',
    params: OrganizationRef,
    responses: { 200: OrganizationPolicy },
    problems: ['NOT_FOUND'],
    handler: (request) => getOrganizationPolicy(request.ctx, request.params.organizationId),
  }),
  patch(PATH, {
    permission: 'organizations:write',
    stepUp: true,
    summary: 'Change the policy of an organization',
    description:
      'The policy can only be stricter than the project’s settings; null stands for the project’s setting. Access tokens in the organization become invalid, and each session is checked against the new policy at its next refresh.',
    params: OrganizationRef,
    body: OrganizationPolicyChanges,
    responses: { 200: OrganizationPolicy },
    problems: ['NOT_FOUND'],
    handler: (request) => changeOrganizationPolicy(request.ctx, request.params.organizationId, request.body),
  }),
];
