import { get, patch, type Routes } from '#platform/route.ts';
import { changeInside, PROBLEMS_INSIDE, requireInside } from './organization-insiders.ts';
import { OrganizationRef } from './organizations.ts';
import {
  changeOrganizationPolicy,
  getOrganizationPolicy,
  OrganizationPolicy,
  OrganizationPolicyChanges,
} from './policies.ts';

const PATH = '/v1/me/organizations/:organizationId/policy';
const SETTING = 'where the project’s setting `organizationSelfService` has `policy`';

/** The policy of an organization, for its members. */
export const ownPolicyRoutes: Routes = [
  get(PATH, {
    permission: 'customer',
    etag: true,
    summary: 'Read the policy of one of my organizations',
    description: `Takes \`org.policy:read\` in it, ${SETTING}.`,
    params: OrganizationRef,
    responses: { 200: OrganizationPolicy },
    problems: PROBLEMS_INSIDE,
    handler: async ({ ctx, params: { organizationId } }) => {
      await requireInside(ctx, organizationId, 'org.policy:read');
      return getOrganizationPolicy(ctx, organizationId);
    },
  }),
  patch(PATH, {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Change the policy of one of my organizations',
    description: `Takes \`org.policy:write\` in it, ${SETTING}. The policy can only be stricter than the project’s settings; it applies to me, too.`,
    params: OrganizationRef,
    body: OrganizationPolicyChanges,
    responses: { 200: OrganizationPolicy },
    problems: PROBLEMS_INSIDE,
    handler: ({ ctx, params: { organizationId }, body }) =>
      changeInside(ctx, organizationId, 'org.policy:write', (tx) => changeOrganizationPolicy(tx, organizationId, body)),
  }),
];
