import { type Static, Type } from 'typebox';
import { callbackPath, enabledConnection, initiationState, published, samlOf } from '#connections';
import { browserOf, withQuery } from '#exchange';
import type { Ctx } from '#platform/ctx.ts';
import type { Request } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { anonymousCtx, ctxFor, realmOfSecret, scopeFields } from '#requests';
import { SamlFault } from '#saml';
import { isClosed } from '#tenancy';
import { sendForm } from './connection-pages.ts';
import { readArrived, samlSignInForm } from './saml-sign-in.ts';
import { connectionIn } from './test-visits.ts';
import { keepResponse, leavingFlow, staleFlow } from './upstream-flows.ts';

const PATH = '/v1/auth/login/connections/:connectionId';
const ConnectionOnly = Type.Object({ connectionId: IdSchema('con') });
type ConnectionOnly = Static<typeof ConnectionOnly>;

/** What an identity provider posts. Other fields are ignored. */
const Posted = Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 350_000 }));

/**
 * A sign-in that the identity provider began. It signs nobody in: anybody could have a visitor's browser post such a
 * response, and sign them in to an account of their own. The application begins a sign-in instead, which its own browser
 * finishes; the identity provider knows the person already.
 * @returns the address of the application
 */
async function initiated(
  request: Request,
  ctx: Ctx,
  { connectionId, message }: ConnectionOnly & { message: string },
): Promise<string> {
  if (await isClosed(ctx.system, ctx.scope)) throw staleFlow();
  const connection = await enabledConnection(ctx, connectionId);
  const { idpInitiatedUrl } = samlOf(connection);
  if (idpInitiatedUrl === null)
    throw problem('METHOD_DISABLED', 'This connection accepts no sign-ins that begin at the identity provider.');
  const callback = `${request.address.url}${callbackPath(connectionId)}`;
  try {
    await readArrived(ctx, connection, { message, callback, nonce: null });
  } catch (fault) {
    if (!(fault instanceof SamlFault)) throw fault;
    request.log.warn({ err: fault, connectionId }, 'a response of an identity provider was refused');
    throw problem('INVALID_TOKEN', 'The identity provider did not confirm the sign-in.');
  }
  return withQuery(idpInitiatedUrl, { organization: connection.organizationId, connection: connectionId });
}

export const samlRoutes: Routes = [
  post(`${PATH}/callback`, {
    permission: 'public',
    counted: 'proof',
    summary: 'Return from a connection that posts a form',
    description:
      'The assertion consumer service of SAML. Redirects to the GET route, to which the browser sends its cookie; or, for a sign-in that began at the identity provider, to the address of the connection.',
    params: ConnectionOnly,
    body: Posted,
    responses: { 303: Type.Null() },
    problems: ['INVALID_TOKEN', 'METHOD_DISABLED', 'NOT_FOUND'],
    plugin: forms,
    handler: async (request, reply) => {
      const { connectionId } = request.params;
      const { RelayState: state = '', SAMLResponse: message = '' } = request.body;
      const realm = await realmOfSecret(request, state);
      const projectId = initiationState.projectIn(state);
      if (projectId) {
        const ctx = ctxFor(request, { ...realm.scope, projectId });
        return reply.redirect(await initiated(request, ctx, { connectionId, message }), 303);
      }
      if (!(await keepResponse(realm, { state, partyId: connectionId, message }))) throw staleFlow();
      return reply.redirect(`${callbackPath(connectionId)}?state=${encodeURIComponent(state)}`, 303);
    },
  }),
  get(`${PATH}/request`, {
    permission: 'public',
    counted: 'begin',
    summary: 'Go on to an identity provider that takes a form',
    description: 'A page whose form posts the SAML request, for identity providers without HTTP-Redirect.',
    params: ConnectionOnly,
    query: Type.Object({ state: Type.String({ maxLength: 200 }) }),
    produces: ['text/html'],
    responses: { 200: Type.String() },
    problems: ['INVALID_TOKEN'],
    handler: async (request, reply) => {
      const { connectionId } = request.params;
      const { state } = request.query;
      const realm = await realmOfSecret(request, state);
      const { ctx, partyId, away } = await leavingFlow(realm, { state, browser: browserOf(request) });
      const connection = partyId === connectionId ? await connectionIn(ctx, connectionId, away) : null;
      if (connection?.kind !== 'saml') throw staleFlow();
      const callback = `${request.address.url}${callbackPath(connectionId)}`;
      return sendForm({ request, reply, ctx, connection }, samlSignInForm(ctx, connection, { ...away, callback }));
    },
  }),
  get(`${PATH}/metadata`, {
    permission: 'public',
    counted: 'begin',
    summary: 'Read our SAML metadata for a connection',
    description: 'For the identity provider of the company. Also while the connection is disabled.',
    params: ConnectionOnly,
    query: Type.Object(scopeFields),
    produces: ['application/samlmetadata+xml'],
    responses: { 200: Type.String() },
    problems: ['CONTEXT_REQUIRED', 'NOT_FOUND'],
    handler: async (request, reply) => {
      const ctx = await anonymousCtx(request, request.query);
      const xml = await published.samlMetadata(ctx, request.params.connectionId);
      return reply.type('application/samlmetadata+xml').serializer(String).send(xml);
    },
  }),
];
