import { Type } from 'typebox';
import type { Request } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { problem } from '#platform/problem.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { ctxFor } from '#requests';
import { issuing, receivedInForm, receivedInQuery } from '#saml';
import { publishedKeys } from '#saml-keys';
import { ClientOnly, enter, PATH, Posted, page, queryOf, scopeOf } from './enter.ts';
import { addressesAt, authAddresses, entityIdOf } from './own-side.ts';
import { applicationByAssertion, beginAsked, beginHere, finish } from './sign-in.ts';

/** A query parameter; ignored if it is repeated. */
function single(request: Request, name: string): string | null {
  const value: unknown = Object(request.query)[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

const browserResponses = {
  200: page('A form that the browser sends to the service provider.'),
  303: { type: 'null', description: 'Redirects to the pages of signing in.' },
  400: page('The request cannot be answered at the service provider.'),
  404: page('There is no such application.'),
};

/** The identity provider by SAML (Web Browser SSO profile). */
export const signInRoutes: Routes = [
  get(`${PATH}/sign-in`, {
    permission: 'public',
    counted: 'begin',
    summary: 'Start a sign-in by SAML',
    description:
      'HTTP-Redirect binding. `organization` names the organization to sign in to, unless the application does.',
    params: ClientOnly,
    responses: browserResponses,
    handler: (request, reply) => {
      const query = queryOf(request);
      return enter(request, reply, (visit) =>
        beginAsked(visit, () => receivedInQuery(query), { organization: single(request, 'organization') }),
      );
    },
  }),
  post(`${PATH}/sign-in`, {
    permission: 'public',
    counted: 'begin',
    silent: 'it only redirects',
    summary: 'Start a sign-in by SAML with a form',
    description: 'HTTP-POST binding.',
    params: ClientOnly,
    body: Posted,
    consumes: ['application/x-www-form-urlencoded'],
    plugin: forms,
    responses: browserResponses,
    handler: (request, reply) => {
      return enter(request, reply, (visit) =>
        beginAsked(visit, () => receivedInForm(request.body), { organization: single(request, 'organization') }),
      );
    },
  }),
  get(`${PATH}/start`, {
    permission: 'public',
    counted: 'begin',
    summary: 'Start a sign-in by SAML that the service provider did not ask for',
    description: 'Only for applications that allow it. `RelayState` is passed on.',
    params: ClientOnly,
    responses: browserResponses,
    handler: (request, reply) =>
      enter(request, reply, (visit) =>
        beginHere(visit, { relayState: single(request, 'RelayState'), organization: single(request, 'organization') }),
      ),
  }),
  get(`${PATH}/return`, {
    permission: 'public',
    counted: 'begin',
    params: ClientOnly,
    handler: (request, reply) => enter(request, reply, (visit) => finish(visit, Object(request.query))),
  }),
  get(`${PATH}/metadata`, {
    permission: 'public',
    counted: 'begin',
    summary: 'Read the SAML metadata of the identity provider',
    description: 'For the service provider of one application.',
    params: ClientOnly,
    produces: ['application/samlmetadata+xml'],
    responses: { 200: Type.String() },
    problems: ['NOT_FOUND'],
    handler: async (request, reply) => {
      const application = await applicationByAssertion(request, request.params.clientId);
      if (!application) throw problem('NOT_FOUND');
      const ctx = ctxFor(request, scopeOf(application));
      // The address where the metadata were read comes first, because most service providers use the first.
      const others = (await authAddresses(ctx.system, ctx.scope)).filter((auth) => auth !== request.address.url);
      const places = [request.address.url, ...others].map((auth) => addressesAt(auth, application));
      const xml = issuing.metadata({
        entityId: entityIdOf(application),
        signOnUrls: places.map(({ signOn }) => signOn),
        logoutUrls: places.map(({ logout }) => logout),
        certificates: (await publishedKeys(ctx)).map(({ certificate }) => certificate),
        nameIdFormat: application.saml.nameIdFormat,
        wantsSignedRequests: application.saml.requireSignedRequests,
      });
      return reply.type('application/samlmetadata+xml').serializer(String).send(xml);
    },
  }),
];
