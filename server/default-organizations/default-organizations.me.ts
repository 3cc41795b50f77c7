import { get, put, type Routes } from '#platform/route.ts';
import { chooseDefaultOrganization, DefaultOrganization, ownDefaultOrganization } from './default-organizations.ts';

const PATH = '/v1/me/default-organization';

/** The default organization of the signed-in person in the project of the session. */
export const defaultOrganizationRoutes: Routes = [
  get(PATH, {
    permission: 'customer',
    etag: true,
    summary: 'Read my default organization',
    responses: { 200: DefaultOrganization },
    handler: (request) => ownDefaultOrganization(request.ctx),
  }),
  put(PATH, {
    permission: 'customer',
    summary: 'Choose my default organization',
    description:
      'One of my organizations, or null for none. It gives no access by itself: its policy is checked whenever I enter it.',
    body: DefaultOrganization,
    responses: { 200: DefaultOrganization },
    problems: ['NOT_FOUND', 'ORGANIZATION_BLOCKED', 'MEMBERSHIP_REQUIRED', 'MEMBER_BLOCKED'],
    handler: (request) => chooseDefaultOrganization(request.ctx, request.body),
  }),
];
