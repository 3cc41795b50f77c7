import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { nullable } from '#platform/schemas.ts';
import { type ClientKeys, NewClientKey, newClientKey, PublicKey, privateKeysIn } from './client-keys.ts';
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
export const clientAuthentication = Type.Enum(['client_secret', 'private_key_jwt'], {
  description:
    'How Latchkey authenticates at the identity provider: `client_secret` (the default), or `private_key_jwt` (RFC 7523) with a key that Latchkey makes for this connection; the identity provider reads the public part at `jwksUrl`.',
});
const keyRotation = Type.Enum(['begin', 'finish'], {
  description:
    'With `private_key_jwt`. `begin` publishes a second key at `jwksUrl`; `finish`, once the identity provider has read it, signs with it and removes the first.',
});
const SCOPES = ['openid', 'email', 'profile'];

/** The configuration of a connection by OpenID Connect, without its secret. With keys, it uses private_key_jwt. */
export const OidcConfiguration = Type.Object({ ...fields, keys: Type.Optional(Type.Array(PublicKey)) });
export type OidcConfiguration = Static<typeof OidcConfiguration>;

export const NewOidcConfiguration = Type.Object(
  {
    issuer: fields.issuer,
    clientId: fields.clientId,
    clientSecret: Type.Optional(clientSecret),
    clientAuthentication: Type.Optional(clientAuthentication),
    scopes: Type.Optional(fields.scopes),
  },
  { additionalProperties: false },
);
export const OidcChanges = Type.Partial(Type.Object({ ...fields, clientSecret, clientAuthentication, keyRotation }), {
  additionalProperties: false,
  minProperties: 1,
});

export const ShownOidcConfiguration = Type.Object(
  {
    ...fields,
    hasSecret: Type.Boolean(),
    clientAuthentication,
    jwksUrl: nullable(
      Type.String({ description: 'Of our public keys, for the identity provider; null without `private_key_jwt`.' }),
    ),
    keyIds: Type.Array(Type.String(), { description: 'Of our keys: the first signs.' }),
  },
  { title: 'OidcConnectionConfiguration' },
);

/** What administrators see of a connection by OpenID Connect; null for one of another kind. */
export function shownOidc(
  row: {
    id: string;
    kind: string;
    workspace_id: WorkspaceId;
    project_id: ProjectId;
    configuration: Record<string, unknown>;
    secret_sealed: string | null;
  },
  address: string,
): Static<typeof ShownOidcConfiguration> | null {
  if (row.kind !== 'oidc') return null;
  const { keys = [], ...shown } = parsed(row.configuration);
  return {
    ...shown,
    hasSecret: row.secret_sealed !== null,
    clientAuthentication: keys.length > 0 ? 'private_key_jwt' : 'client_secret',
    jwksUrl:
      keys.length > 0 ? jwksUrl(row.id, { address, workspaceId: row.workspace_id, projectId: row.project_id }) : null,
    keyIds: keys.map(({ kid }) => kid),
  };
}

/** The address of our public keys for a connection. */
export function jwksUrl(
  id: string,
  { address, workspaceId, projectId }: { address: string; workspaceId: WorkspaceId; projectId: ProjectId },
): string {
  return `${address}/v1/auth/login/connections/${id}/jwks?workspaceId=${workspaceId}&projectId=${projectId}`;
}

/** The key with which Latchkey signs at the identity provider of a connection; null if it uses no private_key_jwt. */
export function signingKeyOf({ configuration, keys }: Omit<Stored, 'secret'>): SigningKey | null {
  const [publicKey] = Value.Parse(Type.Object({ keys: OidcConfiguration.properties.keys }), configuration).keys ?? [];
  const [privateKey] = privateKeysIn(keys);
  return publicKey && privateKey !== undefined ? { kid: publicKey.kid, alg: publicKey.alg, privateKey } : null;
}

/** `privateKey` in PEM. */
export type SigningKey = { kid: string; alg: string; privateKey: string };

/** What is done before the change is stored, because it takes long. */
const Prepared = Type.Object({ key: nullable(NewClientKey) });

export const oidc = {
  prepare,
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

async function prepare(_ctx: unknown, before: Stored | null, written: unknown): Promise<Static<typeof Prepared>> {
  const { clientAuthentication: chosen, keyRotation: rotation } = Value.Parse(
    Type.Object({ clientAuthentication: Type.Optional(clientAuthentication), keyRotation: Type.Optional(keyRotation) }),
    written,
  );
  const has = before !== null && (parsed(before.configuration).keys ?? []).length > 0;
  const isNeeded = rotation === 'begin' ? has : chosen === 'private_key_jwt' && !has;
  return { key: isNeeded ? await newClientKey() : null };
}

function merge(before: Stored | null, written: unknown, prepared: unknown): Stored {
  const { key } = Value.Parse(Prepared, prepared);
  if (before === null) {
    const {
      clientSecret: secret = null,
      clientAuthentication: _,
      ...given
    } = Value.Parse(NewOidcConfiguration, written);
    if (key && secret !== null) throw invalid('clientSecret', 'is not used with private_key_jwt');
    return stored(requireOpenId({ scopes: SCOPES, ...given }), secret, keysWith(NO_KEYS, key));
  }
  const {
    clientSecret,
    clientAuthentication: chosen,
    keyRotation: rotation,
    ...changes
  } = Value.Parse(OidcChanges, written);
  const { keys: publicKeys = [], ...known } = parsed(before.configuration);
  const signs = chosen === undefined ? publicKeys.length > 0 : chosen === 'private_key_jwt';
  const configuration = requireOpenId({ ...known, ...changes });
  if (signs && clientSecret !== undefined) throw invalid('clientSecret', 'is not used with private_key_jwt');
  if (signs) {
    const keys = { publicKeys, privateKeys: privateKeysIn(before.keys) };
    return stored(configuration, null, rotated(keys, rotation, key));
  }
  if (rotation !== undefined) throw invalid('keyRotation', 'needs private_key_jwt');
  const secret = clientSecret ?? before.secret;
  if (secret !== null && secret === before.secret) requireSameOrigin(known, configuration);
  return stored(configuration, secret, NO_KEYS);
}

const NO_KEYS: ClientKeys = { publicKeys: [], privateKeys: [] };

function stored(
  configuration: OidcConfiguration,
  secret: string | null,
  { publicKeys, privateKeys }: ClientKeys,
): Stored {
  if (publicKeys.length === 0) return { configuration, secret, keys: null };
  return { configuration: { ...configuration, keys: [...publicKeys] }, secret, keys: JSON.stringify(privateKeys) };
}

function keysWith({ publicKeys, privateKeys }: ClientKeys, key: NewClientKey | null): ClientKeys {
  if (!key) return { publicKeys, privateKeys };
  return { publicKeys: [...publicKeys, key.publicKey], privateKeys: [...privateKeys, key.privateKey] };
}

/** @throws Problem VALIDATION_FAILED, CONFLICT if somebody else changed the keys since one was made */
function rotated(
  keys: ClientKeys,
  rotation: Static<typeof keyRotation> | undefined,
  key: NewClientKey | null,
): ClientKeys {
  const count = keys.publicKeys.length;
  if (rotation === 'finish') {
    if (count < 2) throw invalid('keyRotation', 'has not begun');
    return { publicKeys: keys.publicKeys.slice(1), privateKeys: keys.privateKeys.slice(1) };
  }
  if (rotation === 'begin' && count > 1) throw invalid('keyRotation', 'has begun already');
  if ((rotation === 'begin' || count === 0) !== (key !== null)) throw problem('CONFLICT');
  return keysWith(keys, key);
}

function invalid(field: string, message: string) {
  return problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: `/body/oidc/${field}`, message }] } });
}

/** OpenID Connect Core §3.1.2.1. */
function requireOpenId(configuration: OidcConfiguration): OidcConfiguration {
  if (configuration.scopes.includes('openid')) return configuration;
  throw invalid('scopes', 'must contain "openid"');
}

/**
 * A stored secret is only used with the origin it was given for: otherwise an administrator who can't read it could have
 * it sent to a server of their own.
 */
function requireSameOrigin(before: OidcConfiguration, after: OidcConfiguration): void {
  if (new URL(before.issuer).origin === new URL(after.issuer).origin) return;
  throw invalid('clientSecret', 'is needed again: the issuer has a new origin, and the stored secret does not follow');
}
