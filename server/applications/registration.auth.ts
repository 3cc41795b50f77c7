import { Type } from 'typebox';
import type { Ctx, Scope } from '#platform/ctx.ts';
import type { Request } from '#platform/http.ts';
import { post, type Routes } from '#platform/route.ts';
import { ClientMetadata, RegistrationError, registerApplication } from './registration.ts';
import { findRegistrationToken, type Presented } from './registration-tokens.ts';

const OAuthError = Type.Object({ error: Type.String(), error_description: Type.String() });
const oauthError = (description: string) => ({ description, content: { 'application/json': { schema: OAuthError } } });

const { grant_types: _asked, response_types: _types, ...described } = ClientMetadata.properties;
const Registered = Type.Object({
  client_id: Type.String(),
  client_id_issued_at: Type.Integer({ description: 'Seconds since the epoch.' }),
  client_secret: Type.Optional(Type.String({ description: 'Shown once.' })),
  client_secret_expires_at: Type.Optional(Type.Integer({ description: 'Always 0: the secret does not expire.' })),
  ...described,
  grant_types: Type.Array(Type.String()),
  response_types: Type.Array(Type.String()),
});

/** Dynamic client registration (RFC 7591). Errors are in OAuth's own format. */
export const registrationRoutes: Routes = [
  post('/connect/register', {
    permission: 'public',
    counted: 'client',
    summary: 'Register an application',
    description:
      'RFC 7591, with an initial access token as bearer. Off unless the project’s `dynamicRegistration` is `with_token`.',
    // Validated in the handler: errors are in OAuth's own format, and unknown members are ignored.
    body: Type.Object({}, { additionalProperties: true, description: 'Client metadata (RFC 7591 §2).' }),
    responses: {
      201: Registered,
      400: oauthError('`invalid_client_metadata`, `invalid_redirect_uri`'),
      401: oauthError('`invalid_token`'),
      403: oauthError('`access_denied`'),
      429: oauthError('`temporarily_unavailable`'),
    },
    handler: async (request, reply) => {
      reply.header('cache-control', 'no-store');
      try {
        const presented = await presentedBy(request);
        return reply
          .code(201)
          .send(await registerApplication(ctxOf(request, presented.scope), presented, request.body));
      } catch (error) {
        if (!(error instanceof RegistrationError)) throw error;
        if (error.status === 401) reply.header('www-authenticate', `Bearer error="${error.code}"`);
        if (error.status === 429) reply.header('retry-after', '60');
        return reply.code(error.status).send({ error: error.code, error_description: error.message });
      }
    },
  }),
];

/**
 * The initial access token of a request.
 * @throws RegistrationError for a token that is not valid at this address
 */
async function presentedBy({ server, headers, address }: Request): Promise<Presented> {
  const { system, host } = server;
  const [, token] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const found = token && host.environment && (await findRegistrationToken(system, host.environment, token));
  const served = found && (!address.scope || address.scope.projectId === found.scope.projectId);
  if (!found || !served)
    throw new RegistrationError(401, 'invalid_token', 'send an initial access token of this project as bearer');
  return found;
}

function ctxOf({ server: { system }, trace }: Request, scope: Scope): Ctx {
  return { system, db: system.db, scope, actor: { kind: 'anonymous' }, trace, now: system.clock.now() };
}
