import { ConnectionRef } from '#connections';
import { get, type Routes } from '#platform/route.ts';
import { ExplainedResponse, explainedResponse } from './saml-explained.ts';

export const samlAdminRoutes: Routes = [
  get('/v1/admin/organizations/:organizationId/connections/:connectionId/saml/last-response', {
    permission: 'organizations:write',
    summary: 'Read the last SAML response of a connection',
    description:
      'What the identity provider sent at the last sign-in, and what the attribute mapping makes of it; or the check that refused it, and what it expected. It stays for a day.',
    params: ConnectionRef,
    responses: { 200: ExplainedResponse },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params }) => explainedResponse(ctx, params),
  }),
];
