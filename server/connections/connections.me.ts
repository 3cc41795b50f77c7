import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { inside, OrganizationRef } from '#organizations';
import { callingAhead } from '#platform/http-ahead.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import { Connection, ConnectionChanges, ConnectionRef, NewConnection } from './connections.ts';
import {
  createOwnConnection,
  deleteOwnConnection,
  getOwnConnection,
  listOwnConnections,
  prepareOwn,
  prepareOwnChanges,
  updateOwnConnection,
} from './own-connections.ts';

const PATH = '/v1/me/organizations/:organizationId/connections';
const ONE = `${PATH}/:connectionId`;

const SETTING = 'where the project’s setting `organizationSelfService` has `connections`';

const adding = callingAhead(({ ctx, params, body }) =>
  prepareOwn(ctx, Value.Parse(OrganizationRef, params).organizationId, Value.Parse(NewConnection, body)),
);
const changing = callingAhead(({ ctx, params, body }) =>
  prepareOwnChanges(ctx, Value.Parse(ConnectionRef, params), Value.Parse(ConnectionChanges, body)),
);

/** The connections of an organization, for its members. */
export const ownConnectionRoutes: Routes = [
  get(PATH, {
    permission: 'customer',
    summary: 'List the connections of one of my organizations',
    description: `Takes \`org.connections:read\` in it, ${SETTING}.`,
    params: OrganizationRef,
    query: PageQuery,
    responses: { 200: PageOf(Connection) },
    problems: [...inside.problems, 'INVALID_CURSOR'],
    handler: ({ ctx, params, query }) => listOwnConnections(ctx, params.organizationId, query),
  }),
  post(PATH, {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Add a connection to one of my organizations',
    description: `Takes \`org.connections:write\` in it, ${SETTING}, and every permission of the roles of the connection. It is disabled until you enable it.`,
    params: OrganizationRef,
    body: NewConnection,
    ahead: adding.call,
    responses: { 201: Connection },
    problems: [...inside.problems, 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
    handler: (request) => createOwnConnection(request.ctx, request.params.organizationId, adding.resultFor(request)),
  }),
  get(ONE, {
    permission: 'customer',
    etag: { without: ['callbackUrls'] },
    summary: 'Read a connection of one of my organizations',
    description: `Takes \`org.connections:read\` in it, ${SETTING}.`,
    params: ConnectionRef,
    responses: { 200: Connection },
    problems: inside.problems,
    handler: ({ ctx, params }) => getOwnConnection(ctx, params),
  }),
  patch(ONE, {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Change a connection of one of my organizations',
    description: `Takes \`org.connections:write\` in it, ${SETTING}, and every permission of its roles, before and afterwards. Disabling it, or changing its identity provider, ends the sessions that began through it.`,
    params: ConnectionRef,
    body: ConnectionChanges,
    ahead: changing.call,
    responses: { 200: Connection },
    problems: [...inside.problems, 'RATE_LIMIT_EXCEEDED'],
    handler: (request) => updateOwnConnection(request.ctx, request.params, changing.resultFor(request)),
  }),
  del(ONE, {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Remove a connection of one of my organizations',
    description: `Takes \`org.connections:write\` in it, ${SETTING}, and every permission of its roles. Ends the sessions that began through it.`,
    params: ConnectionRef,
    responses: { 204: Type.Null() },
    problems: inside.problems,
    handler: ({ ctx, params }) => deleteOwnConnection(ctx, params),
  }),
];
