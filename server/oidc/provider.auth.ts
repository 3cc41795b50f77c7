import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Environment } from '#platform/ctx.ts';
import type { App } from '#platform/http.ts';
import { addressOf } from '#platform/http.ts';
import type { System } from '#platform/system.ts';
import { providerOf } from './provider.ts';

const OAuthError = Type.Object({ error: Type.String(), error_description: Type.Optional(Type.String()) });
const oauthError = (description: string) => ({ description, content: { 'application/json': { schema: OAuthError } } });

/** Everything under /connect and /.well-known, answered by the OpenID provider itself; errors are in OAuth's own format. */
export async function oidcRoutes(app: App): Promise<void> {
  const { environment } = app.host;
  if (environment === null) throw new Error('OIDC is served on a host with an environment.');
  await app.register(async (scope) => {
    // The provider reads request bodies itself.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    const bridge = bridgeTo(app.system, environment, addressOf(app.system, app.host));
    const config = { permission: 'public' } as const;

    scope.post(
      '/connect/token',
      {
        config,
        schema: {
          summary: 'Issue a token',
          description:
            'Form-encoded. `grant_type=client_credentials` with `workspaceId`, `projectId`, `environment` (the client\'s own) and optionally `scope` (a subset of its granted permissions) gives a management token. The client authenticates with `client_secret_basic` or `client_secret_post`.',
          response: {
            200: Type.Object({ access_token: Type.String(), token_type: Type.Literal('Bearer'), expires_in: Type.Integer(), scope: Type.String() }),
            400: oauthError('`invalid_request`, `invalid_scope`, `invalid_target`, `unsupported_grant_type`'),
            401: oauthError('`invalid_client`'),
          },
        },
      },
      bridge,
    );
    scope.get('/.well-known/openid-configuration', { config, schema: { summary: 'Read the provider metadata', description: 'OpenID Connect Discovery 1.0' } }, bridge);
    scope.get('/.well-known/oauth-authorization-server', { config, schema: { summary: 'Read the authorization server metadata', description: 'RFC 8414' } }, bridge);
    scope.get('/connect/jwks', { config, schema: { summary: 'Read the public signing keys', description: 'RFC 7517' } }, bridge);
    scope.route({ method: ['GET', 'POST'], url: '/connect/*', config, schema: { hide: true }, handler: bridge });
  });
}

/** Hands a request to the provider. */
function bridgeTo(system: System, environment: Environment, issuer: string) {
  const { host, protocol } = new URL(issuer);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const provider = await providerOf(system, environment);
    const { headers } = request.raw;
    headers['host'] = host;
    headers['x-forwarded-host'] = host;
    headers['x-forwarded-proto'] = protocol.slice(0, -1);
    headers['x-forwarded-for'] = request.ip;
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
    reply.hijack();
    await provider.callback()(request.raw, reply.raw);
  };
}
