import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { addressesOf } from '#domains';
import { projectOf } from '#environments';
import type { Ctx } from '#platform/ctx.ts';
import { found } from '#platform/problem.ts';
import { inScope } from '#platform/scoped.ts';
import { serviceProviderMetadata } from '#saml';
import { PublicKey } from './client-keys.ts';
import { type ConnectionId, callbackPath } from './connections.ts';
import { OidcConfiguration } from './oidc.ts';
import { initiationState, logoutPath, samlConfiguration, serviceEntityId } from './saml.ts';

/**
 * Our metadata for a connection, also while it is disabled: the company sets its side up first. Served by
 * organization_connections_id.
 * @throws Problem NOT_FOUND
 */
async function samlMetadata(ctx: Ctx, id: ConnectionId): Promise<string> {
  const row = found(
    await ctx.db
      .selectFrom('organization_connections')
      .select('configuration')
      .where(inScope(ctx))
      .where('id', '=', id)
      .where('kind', '=', 'saml')
      .executeTakeFirst(),
  );
  const { auth: own } = await addressesOf(ctx.system, ctx.scope);
  const { routingKey } = await projectOf(ctx.system, ctx.scope);
  const common = ctx.system.config.addresses[ctx.scope.environment].auth;
  return serviceProviderMetadata({
    entityId: serviceEntityId(id),
    logout: `${common}${logoutPath(id, initiationState.of(routingKey, ctx.scope.projectId))}`,
    consumers: [common, ...own].map((address) => `${address}${callbackPath(id)}`),
    certificates: samlConfiguration(row.configuration).certificates,
  });
}

/**
 * Our public keys for a connection by OpenID Connect; none if it uses no private_key_jwt. Served by
 * organization_connections_id.
 * @throws Problem NOT_FOUND
 */
async function oidcKeys(ctx: Ctx, id: ConnectionId) {
  const { configuration } = found(
    await ctx.db
      .selectFrom('organization_connections')
      .select('configuration')
      .where(inScope(ctx))
      .where('id', '=', id)
      .where('kind', '=', 'oidc')
      .executeTakeFirst(),
  );
  return { keys: Value.Parse(OidcConfiguration, configuration).keys ?? [] };
}

/** What Latchkey publishes about a connection, for its identity provider. */
export const published = { samlMetadata, oidcKeys, OidcKeys: Type.Object({ keys: Type.Array(PublicKey) }) };
