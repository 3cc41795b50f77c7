import { type TSchema, Type } from 'typebox';
import type { Environment } from '#platform/ctx.ts';
import type { Host, Reply, Request } from '#platform/http.ts';
import type { EarlyDocument } from '#platform/http-early.ts';
import { isKnownState } from '#platform/http-rules.ts';
import { get, type Hook, options, type Plugin, post, type Route, type Routes } from '#platform/route.ts';
import type { System } from '#platform/system.ts';
import type { IssuerAddress } from './clients.ts';
import { DOCUMENT_PATHS, type DocumentPath } from './documents.ts';
import { PROVIDER_HEADERS } from './headers.ts';
import { earlyMachineToken } from './machine-tokens.ts';
import { commonIssuer, type Issuer, issuerOf } from './provider.ts';
import { SIGNED_INTROSPECTION } from './structured-tokens.ts';

const OAuthError = Type.Object({ error: Type.String(), error_description: Type.Optional(Type.String()) });
const oauthError = (description: string) => ({ description, content: { 'application/json': { schema: OAuthError } } });

/** For the API description only: the provider validates requests. */
const TokenForm = Type.Object({
  grant_type: Type.Literal('client_credentials'),
  workspaceId: Type.String({ description: "Must be the client's own." }),
  projectId: Type.String({ description: "Must be the client's own." }),
  environment: Type.Enum(['test', 'production', 'prod'], { description: "Must be the client's own." }),
  scope: Type.Optional(
    Type.String({ description: 'A subset of the client’s permissions, separated by spaces; all of them when absent.' }),
  ),
  resource: Type.Optional(Type.String({ description: 'The address of the API host (RFC 8707).' })),
  client_id: Type.Optional(Type.String({ description: 'With `client_secret`, unless the client sends HTTP Basic.' })),
  client_secret: Type.Optional(Type.String()),
});

const AnyObject = Type.Object({}, { additionalProperties: true });
const page = (description: string) => ({ description, content: { 'text/html': { schema: Type.String() } } });
const json = (description: string, schema: TSchema = AnyObject) => ({
  description,
  content: { 'application/json': { schema } },
});

/** The error responses of endpoints for clients. */
const clientFaults = {
  400: oauthError('See RFC 6749 §5.2.'),
  401: oauthError('`invalid_client`, `invalid_token`'),
  503: oauthError('`temporarily_unavailable`'),
};

/** The responses of endpoints for browsers. */
const browserResponses = {
  200: page('A page for the person.'),
  303: { type: 'null', description: 'Redirects to the application with the result or an error, or to a page.' },
  400: {
    description: 'The response cannot be sent to the application: a page for people, JSON for programs.',
    content: { 'text/html': { schema: Type.String() }, 'application/json': { schema: OAuthError } },
  },
  503: oauthError('`temporarily_unavailable`'),
};

const documentResponses = (mediaType: string) => ({
  200: {
    description: 'The document. It may be cached.',
    content: { [mediaType]: { schema: AnyObject } },
  },
  304: { type: 'null', description: 'Unchanged since the given ETag.' },
});

const documents: Record<DocumentPath, Pick<Route, 'summary' | 'description' | 'responses'>> = {
  '/.well-known/openid-configuration': {
    summary: 'Read the provider metadata',
    description: 'OpenID Connect Discovery 1.0',
    responses: documentResponses('application/json'),
  },
  '/.well-known/oauth-authorization-server': {
    summary: 'Read the authorization server metadata',
    description: 'RFC 8414',
    responses: documentResponses('application/json'),
  },
  '/connect/jwks': {
    summary: 'Read the public signing keys',
    description: 'RFC 7517',
    responses: documentResponses('application/jwk-set+json'),
  },
};

/** Endpoints that pages of other origins call. */
const CROSS_ORIGIN = [
  '/connect/token',
  '/connect/userinfo',
  '/connect/revoke',
  '/connect/par',
  '/connect/device_authorization',
];

/** The routes that the provider handles. Those without a summary are intermediate steps of a browser. */
const provided = {
  permission: 'public',
  silent: 'most requests of the protocol change nothing visible',
  onRequest: bridge,
  handler: answeredBefore,
} as const;

const userinfo = {
  ...provided,
  counted: 'client',
  summary: 'Read user info',
  description: 'OpenID Connect Core §5.3, with an access token as bearer or DPoP.',
  responses: {
    200: json('The claims.', Type.Object({ sub: Type.String() }, { additionalProperties: true })),
    ...clientFaults,
  },
} as const;

/** An address longer than this does not fit into the headers of a request. */
const MAX_FORM_BYTES = 8_192;

/** Keeps a form as it was sent: a parameter that is sent twice must stay a fault. */
const rawForms: Plugin = (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, body, done) => done(null, body),
  );
  return undefined;
};

/**
 * Redirects a form to the GET of the same path with the same parameters. The form comes from an application's page, so
 * from another site, and the browser sends no `SameSite=Lax` cookie with it; it does with the redirect, which is a
 * navigation. The cookies can stay Lax, and the form itself changes nothing, so it needs no defence against forgery.
 */
function asGet(path: string, { summary, source }: { summary: string; source: string }): Route {
  return post(path, {
    permission: 'public',
    counted: { uncounted: 'the GET that it redirects to is counted' },
    silent: 'it only redirects',
    summary,
    description: `${source} The parameters of the GET as a form, up to 8 KiB.`,
    consumes: ['application/x-www-form-urlencoded'],
    plugin: rawForms,
    responses: { 303: { type: 'null', description: 'Redirects to the GET with the same parameters.' } },
    problems: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    handler: ({ body }, reply) =>
      reply.redirect(`${path}?${new URLSearchParams(typeof body === 'string' ? body : '')}`, 303),
  });
}

/**
 * The OpenID provider under /connect and /.well-known. The library handles these routes; errors are in OAuth's own
 * format.
 */
export const providerRoutes: Routes = [
  post('/connect/token', {
    ...provided,
    early: ({ system, host }) => {
      const own = commonIssuer(system, environmentOf(host));
      return (request) => earlyMachineToken(system, own, request);
    },
    counted: 'client',
    summary: 'Issue a token',
    description:
      'Issues a management token. The client authenticates with `client_secret_basic` or `client_secret_post`. Errors are in the format of OAuth (RFC 6749 §5.2).',
    consumes: ['application/x-www-form-urlencoded'],
    body: TokenForm,
    responses: {
      200: Type.Object({
        access_token: Type.String(),
        token_type: Type.Enum(['Bearer', 'DPoP']),
        expires_in: Type.Integer({ description: 'Seconds.' }),
        scope: Type.String(),
      }),
      400: oauthError('`invalid_request`, `invalid_scope`, `invalid_target`, `unsupported_grant_type`'),
      401: oauthError('`invalid_client`'),
      503: oauthError('`temporarily_unavailable`'),
    },
  }),
  post('/connect/par', {
    ...provided,
    counted: 'begin',
    summary: 'Push an authorization request',
    description: 'RFC 9126. Returns `request_uri` for `GET /connect/authorize`.',
    responses: {
      201: json('Pushed.', Type.Object({ request_uri: Type.String(), expires_in: Type.Integer() })),
      ...clientFaults,
    },
  }),
  get('/connect/userinfo', userinfo),
  post('/connect/userinfo', userinfo),
  post('/connect/introspect', {
    ...provided,
    counted: 'client',
    summary: 'Introspect a token',
    description: `RFC 7662. With \`Accept: ${SIGNED_INTROSPECTION}\`, a JWT (RFC 9701).`,
    responses: {
      200: {
        description: 'What the token says, and whether it is active.',
        content: {
          'application/json': { schema: Type.Object({ active: Type.Boolean() }, { additionalProperties: true }) },
          [SIGNED_INTROSPECTION]: { schema: Type.String() },
        },
      },
      ...clientFaults,
    },
  }),
  post('/connect/revoke', {
    ...provided,
    counted: 'client',
    summary: 'Revoke a token',
    description: 'RFC 7009',
    responses: { 200: { type: 'null', description: 'Revoked, or was never valid.' }, ...clientFaults },
  }),
  post('/connect/device_authorization', {
    ...provided,
    counted: 'begin',
    summary: 'Start a sign-in on a device',
    description: 'RFC 8628',
    responses: { 200: json('The codes.'), ...clientFaults },
  }),
  ...CROSS_ORIGIN.map((path) => options(path, provided)),
  get('/connect/authorize', {
    ...provided,
    counted: 'begin',
    summary: 'Start a sign-in',
    description: 'Authorization code with PKCE (RFC 6749 §4.1, RFC 7636). Open in a browser.',
    responses: browserResponses,
  }),
  asGet('/connect/authorize', { summary: 'Start a sign-in by a form', source: 'OpenID Connect Core §3.1.2.1.' }),
  get('/connect/authorize/:uid', provided),
  get('/connect/device', { ...provided, counted: 'begin' }),
  post('/connect/device', { ...provided, counted: 'begin' }),
  get('/connect/device/:uid', provided),
  get('/connect/logout', {
    ...provided,
    summary: 'Sign out',
    description: 'OpenID Connect RP-Initiated Logout 1.0. Open in a browser.',
    responses: browserResponses,
  }),
  asGet('/connect/logout', { summary: 'Sign out by a form', source: 'OpenID Connect RP-Initiated Logout 1.0 §2.' }),
  post('/connect/logout/confirm', { ...provided, counted: 'proof' }),
  get('/connect/logout/success', provided),
  ...DOCUMENT_PATHS.map((path) =>
    get(path, {
      permission: 'public',
      ...documents[path],
      onRequest: documentHook(path),
      early: ({ system, host }) => {
        const own = commonIssuer(system, environmentOf(host));
        return () => keptDocument(system, own, path);
      },
      handler: answeredBefore,
    }),
  ),
];

function environmentOf({ environment }: Host): Environment {
  if (environment === null) throw new Error('OIDC is served on a host with an environment.');
  return environment;
}

/** The provider's hook handles the request before the body is parsed, because the provider parses it. */
function answeredBefore(): never {
  throw new Error('unreachable: the provider has responded');
}

function keptDocument(system: System, address: IssuerAddress, path: DocumentPath): EarlyDocument | undefined {
  const issuer = issuerOf(system, address);
  return 'documents' in issuer ? issuer.documents.get(path) : undefined;
}

/** Responds with the cached copy of a document; the first time, with the provider's own response. */
function documentHook(path: DocumentPath): Hook {
  return (request, reply, done) => {
    const document = keptDocument(request.server.system, issuerAddress(request), path);
    if (!document) return bridge(request, reply, done);
    reply.headers({ ...document.headers, etag: document.etag });
    if (isKnownState(request.headers['if-none-match'], document.etag)) reply.code(304).send();
    else reply.send(document.body);
  };
}

function issuerAddress({ address, server }: Request): IssuerAddress {
  return { ...address, environment: environmentOf(server.host) };
}

/**
 * Passes a request to the provider of its address, with the issuer's address as its own, whichever proxy it came
 * through.
 */
function bridge(request: Request, reply: Reply, done: (error?: Error) => void): void {
  const found = issuerOf(request.server.system, issuerAddress(request));
  const handed =
    'respond' in found ? hand(found, request, reply) : found.then((issuer) => hand(issuer, request, reply));
  handed.catch(done);
}

function hand({ respond, url }: Issuer, request: Request, reply: Reply): Promise<void> {
  const { headers } = request.raw;
  headers['host'] = url.host;
  headers['x-forwarded-host'] = url.host;
  headers['x-forwarded-proto'] = url.protocol.slice(0, -1);
  headers['x-forwarded-for'] = request.ip;
  const set = reply.headers(PROVIDER_HEADERS).getHeaders();
  for (const name in set) reply.raw.setHeader(name, set[name] ?? '');
  reply.hijack();
  return respond(request.raw, reply.raw);
}
