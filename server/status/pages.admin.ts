import { get, put, type Routes } from '#platform/route.ts';
import { getPage, PageChange, PageState, putPage } from './own-pages.ts';

/** The page that a project manages with the other routes of the status. */
export const statusOwnPageRoutes: Routes = [
  get('/v1/admin/status/page', {
    permission: 'status:read',
    etag: true,
    summary: 'Read which status page the project manages',
    responses: { 200: PageState },
    handler: (request) => getPage(request.ctx),
  }),
  put('/v1/admin/status/page', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Make, publish or hide the status page of the project',
    description:
      'The first call makes the page, with a group for components. A hidden page keeps everything: its components, incidents and subscribers are there when it is published again. A change of `audience` ends no subscription: while only members see the page, only subscriptions of members are told anything.',
    body: PageChange,
    responses: { 200: PageState },
    problems: ['CONFLICT'],
    handler: (request) => putPage(request.ctx, request.body),
  }),
];
