import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { type TSchema, Type } from 'typebox';
import type { Environment } from '#platform/ctx.ts';
import type { App } from '#platform/http.ts';
import { addressOf } from '#platform/http.ts';
import type { ReadyAnswer } from '#platform/http-ready.ts';
import { isKnownState } from '#platform/http-rules.ts';
import type { System } from '#platform/system.ts';
import type { IssuerAddress } from './clients.ts';
import { DOCUMENT_PATHS, type DocumentPath } from './documents.ts';
import { type Issuer, issuerOf } from './provider.ts';

const OAuthError = Type.Object({ error: Type.String(), error_description: Type.Optional(Type.String()) });
const oauthError = (description: string) => ({ description, content: { 'application/json': { schema: OAuthError } } });

const config = { permission: 'public' } as const;

/** For the description only: the provider checks what it is sent. */
const TokenForm = Type.Object({
  grant_type: Type.Literal('client_credentials'),
  workspaceId: Type.String({ description: "The client's own." }),
  projectId: Type.String({ description: "The client's own." }),
  environment: Type.Enum(['test', 'production', 'prod'], { description: "The client's own." }),
  scope: Type.Optional(
    Type.String({ description: 'A part of what the client was granted, separated by spaces; all of it when absent.' }),
  ),
  resource: Type.Optional(Type.String({ description: 'The address of the API host (RFC 8707).' })),
  client_id: Type.Optional(Type.String({ description: 'With `client_secret`, unless the client sends HTTP Basic.' })),
  client_secret: Type.Optional(Type.String()),
});

const tokenSchema = {
  summary: 'Issue a token',
  description:
    'Gives a management token. The client authenticates with `client_secret_basic` or `client_secret_post`. Errors are in the format of OAuth (RFC 6749 §5.2).',
  consumes: ['application/x-www-form-urlencoded'],
  body: TokenForm,
  response: {
    200: Type.Object({
      access_token: Type.String(),
      token_type: Type.Literal('Bearer'),
      expires_in: Type.Integer({ description: 'Seconds.' }),
      scope: Type.String(),
    }),
    400: oauthError('`invalid_request`, `invalid_scope`, `invalid_target`, `unsupported_grant_type`'),
    401: oauthError('`invalid_client`'),
    503: oauthError('`temporarily_unavailable`'),
  },
};

const AnyObject = Type.Object({}, { additionalProperties: true });
const page = (description: string) => ({ description, content: { 'text/html': { schema: Type.String() } } });
const json = (description: string, schema: TSchema = AnyObject) => ({
  description,
  content: { 'application/json': { schema } },
});

/** What an endpoint of clients answers beside its own 2xx. */
const clientFaults = {
  400: oauthError('See RFC 6749 §5.2.'),
  401: oauthError('`invalid_client`, `invalid_token`'),
  503: oauthError('`temporarily_unavailable`'),
};

/** What an endpoint for browsers answers. */
const browserAnswers = {
  200: page('A page for the person.'),
  303: { type: 'null', description: 'Back to the application, with the result or an error; or on to a page.' },
  400: {
    description: 'The request can not be answered to the application: a page for people, JSON for programs.',
    content: { 'text/html': { schema: Type.String() }, 'application/json': { schema: OAuthError } },
  },
  503: oauthError('`temporarily_unavailable`'),
};

const documentAnswers = (mediaType: string) => ({
  200: {
    description: 'The document. It may be kept for a while.',
    content: { [mediaType]: { schema: AnyObject } },
  },
  304: { type: 'null', description: 'You have this document already.' },
});

const documentSchemas: Record<DocumentPath, { summary: string; description: string; response: object }> = {
  '/.well-known/openid-configuration': {
    summary: 'Read the provider metadata',
    description: 'OpenID Connect Discovery 1.0',
    response: documentAnswers('application/json'),
  },
  '/.well-known/oauth-authorization-server': {
    summary: 'Read the authorization server metadata',
    description: 'RFC 8414',
    response: documentAnswers('application/json'),
  },
  '/connect/jwks': {
    summary: 'Read the public signing keys',
    description: 'RFC 7517',
    response: documentAnswers('application/jwk-set+json'),
  },
};

type Endpoint =
  | { methods: ('GET' | 'POST')[]; summary: string; description: string; response: object }
  | { methods: ('GET' | 'POST')[] };

/** What the provider answers by itself; those without a summary are steps on the way of a browser. */
const endpoints: Record<string, Endpoint> = {
  '/connect/authorize': {
    methods: ['GET'],
    summary: 'Begin a sign-in',
    description: 'Authorization code with PKCE (RFC 6749 §4.1, RFC 7636). Open in a browser.',
    response: browserAnswers,
  },
  '/connect/authorize/:uid': { methods: ['GET'] },
  '/connect/par': {
    methods: ['POST'],
    summary: 'Push an authorization request',
    description: 'RFC 9126. Answers `request_uri` for `GET /connect/authorize`.',
    response: {
      201: json('Pushed.', Type.Object({ request_uri: Type.String(), expires_in: Type.Integer() })),
      ...clientFaults,
    },
  },
  '/connect/userinfo': {
    methods: ['GET', 'POST'],
    summary: 'Read user info',
    description: 'OpenID Connect Core §5.3, with an access token as bearer or DPoP.',
    response: {
      200: json('The claims.', Type.Object({ sub: Type.String() }, { additionalProperties: true })),
      ...clientFaults,
    },
  },
  '/connect/introspect': {
    methods: ['POST'],
    summary: 'Introspect a token',
    description: 'RFC 7662',
    response: {
      200: json('What the token is.', Type.Object({ active: Type.Boolean() }, { additionalProperties: true })),
      ...clientFaults,
    },
  },
  '/connect/revoke': {
    methods: ['POST'],
    summary: 'Revoke a token',
    description: 'RFC 7009',
    response: { 200: { type: 'null', description: 'Revoked, or never good.' }, ...clientFaults },
  },
  '/connect/device_authorization': {
    methods: ['POST'],
    summary: 'Begin a sign-in on a device',
    description: 'RFC 8628',
    response: { 200: json('The codes.'), ...clientFaults },
  },
  '/connect/device': { methods: ['GET', 'POST'] },
  '/connect/device/:uid': { methods: ['GET'] },
  '/connect/logout': {
    methods: ['GET'],
    summary: 'Sign out',
    description: 'OpenID Connect RP-Initiated Logout 1.0. Open in a browser.',
    response: browserAnswers,
  },
  '/connect/logout/confirm': { methods: ['POST'] },
  '/connect/logout/success': { methods: ['GET'] },
};

/** Endpoints that pages of other origins call. */
const CROSS_ORIGIN = [
  '/connect/token',
  '/connect/userinfo',
  '/connect/revoke',
  '/connect/par',
  '/connect/device_authorization',
];

function descriptionOf(endpoint: Endpoint): FastifySchema {
  return 'summary' in endpoint
    ? { summary: endpoint.summary, description: endpoint.description, response: endpoint.response }
    : { hide: true };
}

/** The OpenID provider under /connect and /.well-known. It answers by itself; errors are in OAuth's own format. */
export function oidcRoutes(app: App): void {
  const { environment } = app.host;
  if (environment === null) throw new Error('OIDC is served on a host with an environment.');
  const bridge = bridgeTo(app.system, environment);
  const document = (path: DocumentPath) => documentHook(app.system, environment, { path, bridge });
  const own = { url: addressOf(app.system, app.host), scope: null, environment };
  const hidden = { hide: true };

  app.post('/connect/token', { config, schema: tokenSchema, onRequest: bridge }, answeredBefore);
  for (const [url, schema] of Object.entries(endpoints)) {
    app.route({
      method: schema.methods,
      url,
      config,
      schema: descriptionOf(schema),
      onRequest: bridge,
      handler: answeredBefore,
    });
  }
  for (const url of CROSS_ORIGIN) app.options(url, { config, schema: hidden, onRequest: bridge }, answeredBefore);
  for (const path of DOCUMENT_PATHS) {
    app.get(path, { config, schema: documentSchemas[path], onRequest: document(path) }, answeredBefore);
    app.readyAnswers.add(path, () => keptDocument(app.system, own, path));
  }
}

/** A route of the provider is answered in its hook, before anybody reads the body: the provider does that itself. */
function answeredBefore(): never {
  throw new Error('unreachable: the provider has answered');
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

function keptDocument(system: System, address: IssuerAddress, path: DocumentPath): ReadyAnswer | undefined {
  const issuer = issuerOf(system, address);
  return 'documents' in issuer ? issuer.documents.get(path) : undefined;
}

/** Answers with the copy of a document; the first time, with what the provider itself says. */
function documentHook(
  system: System,
  environment: Environment,
  { path, bridge }: { path: DocumentPath; bridge: Hook },
): Hook {
  return (request, reply, done) => {
    const document = keptDocument(system, { ...request.address, environment }, path);
    if (!document) return bridge(request, reply, done);
    reply.headers({ ...document.headers, etag: document.etag });
    if (isKnownState(request.headers['if-none-match'], document.etag)) reply.code(304).send();
    else reply.send(document.body);
  };
}

/**
 * For the pages that the library writes itself: the one that posts an answer to an application (`form_post`), and the one that signs
 * out before another person signs in. It adds the hash of their script. A form may lead to an application, and from there
 * anywhere, so `form-action` stays open, as on our own pages that leave.
 */
const PAGE_HEADERS = {
  'content-security-policy': "default-src 'none'; script-src; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

/** Hands a request to the provider of the address it came to, with the issuer as its address, whatever way it came. */
function bridgeTo(system: System, environment: Environment): Hook {
  const hand = ({ answer, url }: Issuer, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { headers } = request.raw;
    headers['host'] = url.host;
    headers['x-forwarded-host'] = url.host;
    headers['x-forwarded-proto'] = url.protocol.slice(0, -1);
    headers['x-forwarded-for'] = request.ip;
    const set = reply.headers(PAGE_HEADERS).getHeaders();
    for (const name in set) reply.raw.setHeader(name, set[name] ?? '');
    reply.hijack();
    return answer(request.raw, reply.raw);
  };
  return (request, reply, done) => {
    const found = issuerOf(system, { ...request.address, environment });
    const handed =
      'answer' in found ? hand(found, request, reply) : found.then((issuer) => hand(issuer, request, reply));
    handed.catch(done);
  };
}
