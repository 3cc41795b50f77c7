import { type Static, Type } from 'typebox';
import { browserOf, EXCHANGE_CODE, keepMark, newMark, projectOfCode } from '#exchange';
import { upstreamProvider } from '#identity-providers';
import type { Request } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { VerificationChallenge } from '#proofs';
import { anonymousCtx, CookieSession, ctxFor, forApplication, realmOfSecret, sendSession } from '#requests';
import { Passage, SignInResponse, signInFields } from '#ways';
import { Returned, returnFrom, StartQuery, sendAway, startedBy } from './browser-visits.ts';
import { exchangeCode } from './exchange.ts';
import { comeBack, finishUpstream, isOffered, LinkRequired, providerParty } from './social.ts';
import { linkTicket } from './social-linking.ts';

const ProviderRef = Type.Object({ provider: Type.String({ maxLength: 50, pattern: '^[a-z0-9][a-z0-9-]*$' }) });

const SocialStart = Type.Object({
  ...StartQuery.properties,
  ticket: Type.Optional(
    Type.String({
      maxLength: 4_000,
      description: 'The ticket in the `url` that `POST /v1/me/linked-identities` returned.',
    }),
  ),
});

const Exchange = Type.Object(
  {
    code: Type.String({ pattern: EXCHANGE_CODE }),
    codeVerifier: Type.Optional(Type.String({ minLength: 43, maxLength: 128, pattern: '^[A-Za-z0-9._~-]+$' })),
    ...signInFields,
  },
  { additionalProperties: false },
);

const PATH = '/v1/auth/login/social';

/** @throws Problem VALIDATION_FAILED, INVALID_TOKEN for a bad ticket */
async function startOf(request: Request, query: Static<typeof SocialStart>) {
  if (query.ticket !== undefined) {
    const { scope, redirectUri, ...linkTo } = linkTicket.open(request.server.system, query.ticket);
    const ctx = await anonymousCtx(request, scope);
    // A linking is bound to the session that started it.
    const binding = { clientId: null, codeChallenge: null };
    const way = new Passage(ctx, 'linking_asked');
    return { ctx, way, start: { redirectUri, appState: query.state ?? null, binding, linkTo, loginHint: null } };
  }
  const ctx = await anonymousCtx(request, query);
  const way = new Passage(ctx, 'social_asked');
  return { ctx, way, start: await startedBy(ctx, way, query) };
}

/** @returns the address the browser is sent to next */
async function finish(
  request: Request,
  { key, parameters }: { key: string; parameters: Record<string, string> },
): Promise<string> {
  const { state = '' } = parameters;
  const realm = await realmOfSecret(request, state);
  const back = await comeBack(realm, { key, state, browser: browserOf(request) });
  const { away, provider } = back;
  return returnFrom(request, { away, name: provider.name, isOffered: await isOffered(back), parameters }, () =>
    finishUpstream(back, new URL(request.url, request.address.url)),
  );
}

export const socialRoutes: Routes = [
  get(`${PATH}/:provider/start`, {
    permission: 'public',
    counted: 'begin',
    summary: 'Start a sign-in with a provider',
    description:
      'Open in a browser. Ends at `redirectUri` with a one-time `code`, or with `error` and `error_description`.',
    params: ProviderRef,
    query: SocialStart,
    responses: { 303: Type.Null() },
    problems: ['CONTEXT_REQUIRED', 'NOT_FOUND', 'METHOD_DISABLED'],
    handler: async (request, reply) => {
      const { ctx, start, way } = await startOf(request, request.query);
      (await way.open(ctx)).end();
      const provider = await upstreamProvider(ctx, { by: 'key', value: request.params.provider });
      return reply.redirect(await sendAway(request, reply, { ctx, party: providerParty(ctx, provider), start }), 303);
    },
  }),
  get(`${PATH}/:provider/callback`, {
    permission: 'public',
    counted: 'begin',
    summary: 'Return from a provider',
    params: ProviderRef,
    query: Returned,
    responses: { 303: Type.Null() },
    problems: ['INVALID_TOKEN'],
    handler: async (request, reply) => {
      const to = await finish(request, { key: request.params.provider, parameters: request.query });
      return reply.redirect(to, 303);
    },
  }),
  post(`${PATH}/:provider/callback`, {
    permission: 'public',
    counted: 'proof',
    summary: 'Return from a provider that posts a form',
    description: '`response_mode=form_post`. Redirects to the GET route, to which the browser sends its cookie.',
    params: ProviderRef,
    body: Returned,
    responses: { 303: Type.Null() },
    problems: ['INVALID_TOKEN'],
    plugin: forms,
    handler: async (request, reply) => {
      const query = new URLSearchParams(request.body);
      return reply.redirect(`${PATH}/${request.params.provider}/callback?${query}`, 303);
    },
  }),
  post(`${PATH}/exchange`, {
    permission: 'public',
    counted: 'proof',
    summary: 'Exchange a one-time code',
    description:
      'Exchanges the `code` that a sign-in at a provider or a mailed link brought to the redirect address. It works once, within 60 seconds, for the client that started: with the `codeVerifier` of its `codeChallenge`, or, if it started without one, with the `clientId`. `link_required`: the address has an account; its owner signs in and links the identity. `verification_required`: the address of that account is not verified yet; the mailed code finishes the sign-in.',
    body: Exchange,
    responses: { 200: Type.Union([...SignInResponse.anyOf, LinkRequired, VerificationChallenge, CookieSession]) },
    problems: [
      'INVALID_TOKEN',
      'METHOD_DISABLED',
      'RATE_LIMIT_EXCEEDED',
      'REGISTRATION_CLOSED',
      'MEMBERSHIP_REQUIRED',
      'MEMBER_BLOCKED',
      'REAUTHENTICATION_REQUIRED',
      'REFUSED_BY_ACTION',
      'ORGANIZATION_ADDRESS',
      'ORGANIZATION_METHOD',
      'CONFLICT',
    ],
    handler: async (request, reply) => {
      const { code, cookies } = request.body;
      const realm = await realmOfSecret(request, code);
      const found = ctxFor(request, { ...realm.scope, projectId: await projectOfCode(realm, code) });
      const ctx = await forApplication(found, request.body.clientId);
      const browser = newMark(request);
      const response = await exchangeCode(ctx, { ...request.body, browser });
      if ('status' in response && response.status === 'verification_required') keepMark(request, reply, browser);
      return sendSession(request, reply, response, { scope: ctx.scope, cookies });
    },
  }),
];
