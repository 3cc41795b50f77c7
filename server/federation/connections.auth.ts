import { Type } from 'typebox';
import { discoverConnection, enabledConnection } from '#connections';
import { browserOf } from '#exchange';
import { IdSchema } from '#platform/ids.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { nullable } from '#platform/schemas.ts';
import { anonymousCtx, realmOfSecret, scopeFields } from '#requests';
import { Passage } from '#ways';
import { Returned, returnFrom, StartQuery, sendAway, startedBy } from './browser-visits.ts';
import { comeBackThrough, connectionParty, finishThrough, stillEnabled } from './connections.ts';
import { beginTest, finishTest } from './test-visits.ts';

const ConnectionRef = Type.Object({ connectionId: IdSchema('con') });
const PATH = '/v1/auth/login/connections';

/** Signing in through the identity provider of an organization. */
export const connectionSignInRoutes: Routes = [
  post(`${PATH}/discover`, {
    permission: 'public',
    counted: 'begin',
    summary: 'Find the connection of a person',
    description:
      'By the verified mail domain of an address, or by the organization. The response is the same whether the address has an account or not. Send the person to the start of the connection, or, if it is null, ask for another way.',
    body: Type.Object(
      {
        email: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
        organizationId: Type.Optional(IdSchema('org')),
        ...scopeFields,
      },
      { additionalProperties: false },
    ),
    responses: {
      200: Type.Object({
        connection: nullable(
          Type.Object({
            id: IdSchema('con'),
            organizationId: IdSchema('org'),
            name: Type.String(),
            required: Type.Boolean({ description: 'People at this domain enter the organization only through it.' }),
          }),
        ),
      }),
    },
    problems: ['CONTEXT_REQUIRED', 'ENVIRONMENT_MISMATCH'],
    silent: 'it only reads',
    handler: async (request) => {
      const { email = null, organizationId = null } = request.body;
      const ctx = await anonymousCtx(request, request.body);
      return { connection: await discoverConnection(ctx, { identifier: email, organizationId }) };
    },
  }),
  get(`${PATH}/:connectionId/start`, {
    permission: 'public',
    counted: 'begin',
    summary: 'Start a sign-in through a connection',
    description:
      'Open in a browser. Ends at `redirectUri` with a one-time `code` for `POST /v1/auth/login/social/exchange`, or with `error` and `error_description`. The session is in the organization of the connection.',
    params: ConnectionRef,
    query: StartQuery,
    responses: { 303: Type.Null() },
    problems: ['CONTEXT_REQUIRED', 'NOT_FOUND'],
    handler: async (request, reply) => {
      const ctx = await anonymousCtx(request, request.query);
      const way = new Passage(ctx, 'connection_asked');
      const start = await startedBy(ctx, way, request.query);
      const connection = way.passed('connection', await enabledConnection(ctx, request.params.connectionId));
      way.end();
      return reply.redirect(
        await sendAway(request, reply, { ctx, party: connectionParty(ctx, connection), start }),
        303,
      );
    },
  }),
  get(`${PATH}/:connectionId/test`, {
    permission: 'public',
    counted: 'proof',
    summary: 'Begin a test sign-in',
    description: 'The address of a test sign-in, which an administrator opens in a browser. It signs nobody in.',
    params: ConnectionRef,
    query: Type.Object({ ticket: Type.String({ maxLength: 100 }) }),
    responses: { 303: Type.Null() },
    problems: ['INVALID_TOKEN', 'NOT_FOUND'],
    handler: (request, reply) => beginTest(request, reply, { ...request.params, ...request.query }),
  }),
  get(`${PATH}/:connectionId/callback`, {
    permission: 'public',
    counted: 'begin',
    summary: 'Return from the identity provider of a connection',
    params: ConnectionRef,
    query: Returned,
    responses: { 303: Type.Null() },
    problems: ['INVALID_TOKEN'],
    handler: async (request, reply) => {
      const { query: parameters, params } = request;
      const { state = '' } = parameters;
      const realm = await realmOfSecret(request, state);
      const back = await comeBackThrough(realm, { ...params, state, browser: browserOf(request) });
      const returned = new URL(request.url, request.address.url);
      const { away, ctx } = back;
      if (away.testSignInId !== undefined) return finishTest(request, reply, { back, returned, id: away.testSignInId });
      const connection = await stillEnabled(ctx, params.connectionId);
      const name = connection?.name ?? 'This connection';
      const to = await returnFrom(request, { away, name, isOffered: connection !== null, parameters }, () => {
        if (!connection) throw new Error('unreachable: the connection is offered');
        return finishThrough(back, connection, returned);
      });
      return reply.redirect(to, 303);
    },
  }),
];
