import { Type } from 'typebox';
import { EXCHANGE_CODE } from '#exchange';
import { linkingUrl, linkWithCode, linkWithToken } from '#federation';
import { listIdentities } from '#linked-identities';
import { customerOf } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery, pageOfWhole } from '#platform/page.ts';
import { found, problem } from '#platform/problem.ts';
import { del, get, post, type Routes } from '#platform/route.ts';
import { Instant } from '#platform/schemas.ts';
import { removeIdentity } from './sign-in-methods.ts';

const LinkedIdentity = Type.Object(
  {
    id: IdSchema('idn'),
    provider: Type.String(),
    issuer: Type.String(),
    subject: Type.String(),
    email: Type.Union([Type.String(), Type.Null()]),
    linkedAt: Instant,
  },
  { title: 'LinkedIdentity' },
);

const LinkedIdentityRef = Type.Object({ identityId: IdSchema('idn') });

const Linking = Type.Object(
  {
    provider: Type.Optional(Type.String({ maxLength: 50, pattern: '^[a-z0-9][a-z0-9-]*$' })),
    clientId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    redirectUri: Type.Optional(Type.String({ maxLength: 2_000 })),
    code: Type.Optional(
      Type.String({
        pattern: EXCHANGE_CODE,
        description: 'The code from the redirect address. It works only in the session that started the linking.',
      }),
    ),
    linkToken: Type.Optional(
      Type.String({
        pattern: EXCHANGE_CODE,
        description: 'The token of a sign-in that returned `link_required`. Never take it from the address of a page.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const linkedIdentityRoutes: Routes = [
  get('/v1/me/linked-identities', {
    permission: 'customer',
    summary: 'List my linked identities',
    query: PageQuery,
    responses: { 200: PageOf(LinkedIdentity) },
    problems: ['INVALID_CURSOR'],
    handler: async ({ ctx, query }) => {
      const { userId } = customerOf(ctx);
      const list = `linked identities of ${userId}`;
      return pageOfWhole(ctx, await listIdentities(ctx, userId), {
        list,
        query,
        positionOf: ({ id }) => [id],
        descending: true,
      });
    },
  }),
  post('/v1/me/linked-identities', {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Link an identity',
    description:
      'In two steps: with `provider`, `clientId` and `redirectUri` it returns the `url` to open in the browser; with the `code` from the redirect address, in the same session, it links the identity (201). The `linkToken` of a sign-in that returned `link_required` also links it.',
    body: Linking,
    responses: {
      200: Type.Object({ url: Type.String(), expiresIn: Type.Integer({ description: 'Seconds.' }) }),
      201: LinkedIdentity,
    },
    problems: ['REAUTHENTICATION_REQUIRED', 'NOT_FOUND', 'INVALID_TOKEN', 'METHOD_DISABLED', 'ALREADY_EXISTS'],
    handler: async (request, reply) => {
      const { code, linkToken, provider, redirectUri, clientId } = request.body;
      if (code !== undefined) return reply.code(201).send(await linkWithCode(request.ctx, code));
      if (linkToken !== undefined) return reply.code(201).send(await linkWithToken(request.ctx, linkToken));
      if (provider !== undefined && redirectUri !== undefined)
        return { url: await linkingUrl(request.ctx, { provider, redirectUri, clientId }), expiresIn: 600 };
      const message = 'expected `code`, `linkToken`, or `provider`, `clientId` and `redirectUri`';
      throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body', message }] } });
    },
  }),
  get('/v1/me/linked-identities/:identityId', {
    permission: 'customer',
    etag: true,
    summary: 'Read one of my linked identities',
    params: LinkedIdentityRef,
    responses: { 200: LinkedIdentity },
    problems: ['NOT_FOUND'],
    handler: async ({ ctx, params: { identityId } }) =>
      found((await listIdentities(ctx, customerOf(ctx).userId)).find(({ id }) => id === identityId)),
  }),
  del('/v1/me/linked-identities/:identityId', {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Unlink an identity',
    params: LinkedIdentityRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'LAST_SIGN_IN_METHOD', 'REAUTHENTICATION_REQUIRED', 'AUTHORIZATION_DENIED'],
    handler: (request) => removeIdentity(request.ctx, request.params.identityId),
  }),
];
