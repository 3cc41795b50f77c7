import { Type } from 'typebox';
import { published } from '#connections';
import { IdSchema } from '#platform/ids.ts';
import { get, type Routes } from '#platform/route.ts';
import { anonymousCtx, scopeFields } from '#requests';

export const oidcKeyRoutes: Routes = [
  get('/v1/auth/login/connections/:connectionId/jwks', {
    permission: 'public',
    counted: 'begin',
    summary: 'Read our public keys for a connection',
    description:
      'For the identity provider of the company, which checks the assertions of `private_key_jwt` with them. Also while the connection is disabled.',
    params: Type.Object({ connectionId: IdSchema('con') }),
    query: Type.Object(scopeFields),
    responses: { 200: published.OidcKeys },
    problems: ['CONTEXT_REQUIRED', 'NOT_FOUND'],
    handler: async (request) =>
      published.oidcKeys(await anonymousCtx(request, request.query), request.params.connectionId),
  }),
];
