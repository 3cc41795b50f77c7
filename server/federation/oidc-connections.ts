import { Value } from 'typebox/value';
import { OidcConfiguration, type UsableConnection } from '#connections';
import { organizationAt } from '#organizations';
import type { Ctx } from '#platform/ctx.ts';
import type { ConnectionFlow } from './connection-kinds.ts';
import { authorizationUrl, checkProvider, claimsFrom, type RelyingProvider } from './upstream.ts';

/**
 * Issuers whose accounts belong to many companies, with the claim that names the company's domain: the organization
 * holds it.
 */
const SHARED_ISSUERS: Readonly<Record<string, string>> = { 'https://accounts.google.com': 'hd' };

function providerOf({ id, name, configuration, secret, signingKey }: UsableConnection): RelyingProvider {
  const { issuer, clientId, scopes } = Value.Parse(OidcConfiguration, configuration);
  return {
    id,
    key: id,
    name,
    preset: { protocol: 'oidc', name, issuer: null, scopes },
    clientId,
    clientSecret: secret,
    signingKey,
    options: { issuer, scopes },
  };
}

/** People sign in by OpenID Connect. */
export const oidcConnections: ConnectionFlow = {
  start: (ctx, connection, request) => authorizationUrl(ctx, providerOf(connection), request),
  finish: async (ctx, connection, visit) => {
    const claims = await claimsFrom(ctx, providerOf(connection), visit);
    await requireOwnAccount(ctx, connection, claims);
    const { sub, email_verified: verified } = claims;
    // Some providers write the boolean as text.
    const emailVerified = verified === undefined ? null : verified === true || verified === 'true';
    return { subject: String(sub), attributes: claims, received: shown(claims), emailVerified, session: null };
  },
  test: (ctx, connection) => checkProvider(ctx, providerOf(connection)),
};

function shown(claims: Record<string, unknown>): Record<string, string[]> {
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, [value].flat().map(textOf)]));
}

/** @throws Error for an account of another company at an issuer that several share */
async function requireOwnAccount(
  ctx: Ctx,
  { organizationId, configuration }: UsableConnection,
  claims: Record<string, unknown>,
): Promise<void> {
  const { issuer } = Value.Parse(OidcConfiguration, configuration);
  // Entra ID lets any company in at its common address, and then names the issuer of that company.
  if (new URL(String(claims['iss'])).href !== new URL(issuer).href)
    throw new Error(`The issuer ${String(claims['iss'])} is not the one of the connection.`);
  const claim = SHARED_ISSUERS[new URL(issuer).origin];
  if (claim === undefined) return;
  const domain = claims[claim];
  if (typeof domain !== 'string' || (await organizationAt(ctx, `@${domain}`)) !== organizationId)
    throw new Error(`The claim "${claim}" names no verified mail domain of the organization.`);
}
