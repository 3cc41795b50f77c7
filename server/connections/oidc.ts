import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { problem } from '#platform/problem.ts';
import type { Kind, Stored } from './kinds.ts';

const fields = {
  issuer: Type.String({
    format: 'uri',
    maxLength: 2_048,
    pattern: '^https?://',
    description: 'Its discovery document is at `/.well-known/openid-configuration` below it.',
    examples: ['https://login.example.com'],
  }),
  clientId: Type.String({ minLength: 1, maxLength: 500 }),
  scopes: Type.Array(Type.String({ maxLength: 200, pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' }), {
    minItems: 1,
    maxItems: 30,
    uniqueItems: true,
  }),
};
const clientSecret = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description: 'Stored encrypted, never shown again. Without it, PKCE alone proves the request.',
});
const SCOPES = ['openid', 'email', 'profile'];

/** The configuration of a connection by OpenID Connect, without its secret. */
export const OidcConfiguration = Type.Object(fields);
export type OidcConfiguration = Static<typeof OidcConfiguration>;

export const NewOidcConfiguration = Type.Object(
  {
    issuer: fields.issuer,
    clientId: fields.clientId,
    clientSecret: Type.Optional(clientSecret),
    scopes: Type.Optional(fields.scopes),
  },
  { additionalProperties: false },
);
export const OidcChanges = Type.Partial(Type.Object({ ...fields, clientSecret }), {
  additionalProperties: false,
  minProperties: 1,
});

export const ShownOidcConfiguration = Type.Object(
  { ...fields, hasSecret: Type.Boolean() },
  { title: 'OidcConnectionConfiguration' },
);

/** What administrators see of a connection by OpenID Connect; null for one of another kind. */
export function shownOidc(row: {
  kind: string;
  configuration: Record<string, unknown>;
  secret_sealed: string | null;
}): Static<typeof ShownOidcConfiguration> | null {
  return row.kind === 'oidc' ? { ...parsed(row.configuration), hasSecret: row.secret_sealed !== null } : null;
}

export const oidc = {
  merge,
  authority: (configuration) => parsed(configuration).issuer,
  attributes: {
    email: 'email',
    givenName: 'given_name',
    familyName: 'family_name',
    displayName: 'name',
    groups: 'groups',
  },
} as const satisfies Kind;

function parsed(configuration: Record<string, unknown>): OidcConfiguration {
  return Value.Parse(OidcConfiguration, configuration);
}

function merge(before: Stored | null, written: unknown): Stored {
  if (before === null) {
    const { clientSecret: secret = null, ...given } = Value.Parse(NewOidcConfiguration, written);
    return { configuration: requireOpenId({ scopes: SCOPES, ...given }), secret };
  }
  const { clientSecret: secret = before.secret, ...changes } = Value.Parse(OidcChanges, written);
  const configuration = requireOpenId({ ...parsed(before.configuration), ...changes });
  if (secret !== null && secret === before.secret) requireSameOrigin(parsed(before.configuration), configuration);
  return { configuration, secret };
}

/** OpenID Connect Core §3.1.2.1. */
function requireOpenId(configuration: OidcConfiguration): OidcConfiguration {
  if (configuration.scopes.includes('openid')) return configuration;
  const errors = [{ pointer: '/body/oidc/scopes', message: 'must contain "openid"' }];
  throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

/**
 * A stored secret is only used with the origin it was given for: otherwise an administrator who can't read it could have
 * it sent to a server of their own.
 */
function requireSameOrigin(before: OidcConfiguration, after: OidcConfiguration): void {
  if (new URL(before.issuer).origin === new URL(after.issuer).origin) return;
  const message = 'is needed again: the issuer has a new origin, and the stored secret does not follow';
  throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/oidc/clientSecret', message }] } });
}
