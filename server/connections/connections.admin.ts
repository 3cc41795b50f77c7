import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { OrganizationRef } from '#organizations';
import { callingAhead } from '#platform/http-ahead.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import {
  createConnection,
  deleteConnection,
  prepareChanges,
  prepareNew,
  requireProviders,
  updateConnection,
} from './connection-changes.ts';
import {
  Connection,
  ConnectionChanges,
  ConnectionRef,
  getConnection,
  listConnections,
  NewConnection,
} from './connections.ts';

const PATH = '/v1/admin/organizations/:organizationId/connections';
const ONE = `${PATH}/:connectionId`;

const adding = callingAhead(async ({ ctx, params, body }) => {
  await requireProviders(ctx);
  return prepareNew(ctx, Value.Parse(OrganizationRef, params).organizationId, Value.Parse(NewConnection, body));
});
const changing = callingAhead(async ({ ctx, params, body }) => {
  await requireProviders(ctx);
  return prepareChanges(ctx, Value.Parse(ConnectionRef, params), Value.Parse(ConnectionChanges, body));
});

/** The connections of an organization: the identity providers that its people sign in through. */
export const connectionRoutes: Routes = [
  get(PATH, {
    permission: 'organizations:read',
    summary: 'List the connections of an organization',
    params: OrganizationRef,
    query: PageQuery,
    responses: { 200: PageOf(Connection) },
    problems: ['NOT_FOUND', 'INVALID_CURSOR'],
    handler: ({ ctx, params, query }) => listConnections(ctx, params.organizationId, query),
  }),
  post(PATH, {
    permission: 'organizations:write',
    stepUp: true,
    summary: 'Add a connection to an organization',
    description:
      'An identity provider through which people of the organization sign in. It is disabled until you enable it. You need `providers:write` too, and every permission that its roles grant.',
    params: OrganizationRef,
    body: NewConnection,
    ahead: adding.call,
    responses: { 201: Connection },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) => createConnection(request.ctx, request.params.organizationId, adding.resultFor(request)),
  }),
  get(ONE, {
    permission: 'organizations:read',
    etag: { without: ['callbackUrls'] },
    summary: 'Read a connection of an organization',
    params: ConnectionRef,
    responses: { 200: Connection },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params }) => getConnection(ctx, params),
  }),
  patch(ONE, {
    permission: 'organizations:write',
    stepUp: true,
    summary: 'Change a connection of an organization',
    description:
      'Disabling it, or changing its identity provider, ends the sessions that began through it. `attributes` and `groupRoles` are replaced as a whole.',
    params: ConnectionRef,
    body: ConnectionChanges,
    ahead: changing.call,
    responses: { 200: Connection },
    problems: ['NOT_FOUND'],
    handler: (request) => updateConnection(request.ctx, request.params, changing.resultFor(request)),
  }),
  del(ONE, {
    permission: 'organizations:write',
    stepUp: true,
    summary: 'Remove a connection of an organization',
    description: 'Ends the sessions that began through it. Who joined through it stays a member.',
    params: ConnectionRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params }) => deleteConnection(ctx, params),
  }),
];
