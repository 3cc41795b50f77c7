import { X509Certificate } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Ctx } from '#platform/ctx.ts';
import { outbound } from '#platform/fetch.ts';
import { IdSchema, type ProjectId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import type { System } from '#platform/system.ts';
import { IdentityProvider, newServiceKey, parseMetadata, SamlFault } from '#saml';
import type { Kind, Stored } from './kinds.ts';

const metadataUrl = Type.String({
  format: 'uri',
  maxLength: 2_048,
  pattern: '^https?://',
  description: 'Where the identity provider publishes its metadata. They are read again every day.',
});
const metadata = Type.String({
  minLength: 1,
  maxLength: 200_000,
  description: 'The metadata of the identity provider, as XML. Give this or `metadataUrl`.',
});
const idpInitiatedUrl = Type.Union(
  [Type.String({ format: 'uri', maxLength: 2_000, pattern: '^https?://' }), Type.Null()],
  {
    description:
      'Switches on sign-ins that begin at the identity provider: the browser is sent to this address of your application, which begins a sign-in with `organization`. null: they are refused.',
  },
);

const singleLogout = Type.Boolean({
  description:
    'People who log out at the hosted pages of a session that began through the connection log out at the identity provider, too, where its metadata have an address for that by redirect. Logouts that begin at the identity provider need no switch.',
});

/** The configuration of a connection by SAML, without its keys. */
export const SamlConfiguration = Type.Object({
  identityProvider: IdentityProvider,
  metadataUrl: nullable(Type.String()),
  metadataReadAt: Type.String(),
  metadataFault: nullable(Type.String()),
  /** When metadata at an address are read again. */
  metadataDueAt: Type.String(),
  idpInitiatedUrl: nullable(Type.String()),
  singleLogout: Type.Optional(Type.Boolean()),
  /** Of our keys, in PEM; the first signs. */
  certificates: Type.Array(Type.String()),
});
export type SamlConfiguration = Static<typeof SamlConfiguration>;

/** What is sealed: our private keys in PEM, in the order of the certificates. */
const SamlSecret = Type.Array(Type.String());

export const NewSamlConfiguration = Type.Object(
  {
    metadataUrl: Type.Optional(metadataUrl),
    metadata: Type.Optional(metadata),
    idpInitiatedUrl: Type.Optional(idpInitiatedUrl),
    singleLogout: Type.Optional(singleLogout),
  },
  { additionalProperties: false, minProperties: 1 },
);
export const SamlChanges = Type.Object(
  {
    ...NewSamlConfiguration.properties,
    refresh: Type.Optional(Type.Literal(true, { description: 'Reads the metadata at `metadataUrl` again.' })),
    keyRotation: Type.Optional(
      Type.Enum(['begin', 'finish'], {
        description:
          '`begin` publishes a second key in our metadata, which decrypts already. `finish`, once the identity provider has it, removes the first.',
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);
type SamlChanges = Static<typeof SamlChanges>;

const Certificate = Type.Object({ fingerprint: Type.String(), validUntil: Instant, pem: Type.String() });

export const ShownSamlConfiguration = Type.Object(
  {
    entityId: Type.String({ description: 'Of the identity provider.' }),
    signOnUrl: Type.String(),
    certificates: Type.Array(Certificate, { description: 'Of the identity provider: each may have signed.' }),
    metadataUrl: nullable(Type.String()),
    metadataReadAt: Instant,
    metadataFault: nullable(
      Type.String({ description: 'Why the last reading failed; the earlier metadata are used.' }),
    ),
    idpInitiatedUrl: nullable(Type.String()),
    idpInitiatedRelayState: Type.String({
      description: 'The default RelayState at the identity provider, for sign-ins that begin there.',
    }),
    singleLogout,
    logoutUrl: nullable(Type.String({ description: 'Of the identity provider; null: it offers no single logout.' })),
    serviceProvider: Type.Object(
      {
        entityId: Type.String(),
        logoutUrl: Type.String({ description: 'The single logout service, by redirect and by form.' }),
        certificates: Type.Array(Certificate),
      },
      { description: 'This side, for the identity provider. `callbackUrl` is the assertion consumer service.' },
    ),
  },
  { title: 'SamlConnectionConfiguration' },
);

/** Our entity id: the same at every address, so that a custom domain changes nothing at the identity provider. */
export function serviceEntityId(connectionId: string): string {
  return `urn:latchkey:connection:${connectionId}`;
}

/** What administrators see of a connection by SAML; null for one of another kind. */
export function shownSaml(
  row: { id: string; kind: string; configuration: Record<string, unknown>; project_id: ProjectId },
  { routingKey, address }: { routingKey: string; address: string },
): Static<typeof ShownSamlConfiguration> | null {
  if (row.kind !== 'saml') return null;
  const {
    identityProvider,
    certificates,
    metadataDueAt: _,
    singleLogout: goesOn,
    ...shown
  } = samlConfiguration(row.configuration);
  return {
    ...shown,
    singleLogout: goesOn ?? false,
    logoutUrl: identityProvider.logout?.url ?? null,
    idpInitiatedRelayState: initiationState.of(routingKey, row.project_id),
    entityId: identityProvider.entityId,
    signOnUrl: identityProvider.signOnUrl,
    certificates: identityProvider.certificates.map(certificateOf),
    serviceProvider: {
      entityId: serviceEntityId(row.id),
      logoutUrl: `${address}${logoutPath(row.id, initiationState.of(routingKey, row.project_id))}`,
      certificates: certificates.map(certificateOf),
    },
  };
}

/**
 * Where the identity provider logs people out.
 * @param place where the connection is, because an identity provider sends no RelayState of ours
 */
export function logoutPath(connectionId: string, place: string): string {
  return `/v1/auth/login/connections/${connectionId}/logout/${place}`;
}

/** The RelayState of a sign-in that begins at the identity provider: where the connection is, and no secret. */
export const initiationState = {
  of: (routingKey: string, projectId: ProjectId) => `lki_${routingKey}_${projectId}`,

  /** @returns the project; undefined for another RelayState */
  projectIn(state: string): ProjectId | undefined {
    const projectId: unknown = /^lki_[a-z0-9]{8}_(prj_[a-z0-9]{26})$/.exec(state)?.[1];
    return Value.Check(ProjectRef, projectId) ? projectId : undefined;
  },
};
const ProjectRef = IdSchema('prj');

function certificateOf(pem: string): Static<typeof Certificate> {
  const certificate = new X509Certificate(pem);
  return { fingerprint: certificate.fingerprint256, validUntil: certificate.validToDate.toISOString(), pem };
}

export function samlConfiguration(configuration: Record<string, unknown>): SamlConfiguration {
  return Value.Parse(SamlConfiguration, configuration);
}

function samlKeys(secret: string | null): string[] {
  return Value.Parse(SamlSecret, JSON.parse(secret ?? '[]'));
}

/** A connection by SAML, as used for signing in. `privateKeys` in PEM: the first signs, each decrypts. */
export function samlOf(connection: { id: string; configuration: Record<string, unknown>; secret: string | null }) {
  const { certificates, singleLogout: goesOn = false, ...configuration } = samlConfiguration(connection.configuration);
  const { identityProvider, metadataUrl, idpInitiatedUrl } = configuration;
  const privateKeys = samlKeys(connection.secret);
  const [certificate = ''] = certificates;
  const [privateKey = ''] = privateKeys;
  return {
    identityProvider,
    metadataUrl,
    idpInitiatedUrl,
    singleLogout: goesOn,
    entityId: serviceEntityId(connection.id),
    privateKeys,
    signingKey: { certificate, privateKey },
  };
}

/** What is done before the change is stored, because it takes long: metadata are read, and a key is made. */
const Prepared = Type.Object({
  identityProvider: nullable(IdentityProvider),
  /** Where the metadata were read; null: they were pasted. */
  url: nullable(Type.String()),
  key: nullable(Type.Object({ certificate: Type.String(), privateKey: Type.String() })),
  at: Type.String(),
});

export const saml = {
  prepare,
  merge,
  authority: (configuration) => samlConfiguration(configuration).identityProvider.entityId,
  attributes: {
    email: 'email',
    givenName: 'givenName',
    familyName: 'surname',
    displayName: 'displayName',
    groups: 'groups',
  },
} as const satisfies Kind;

async function prepare(
  { system }: Pick<Ctx, 'system'>,
  before: Stored | null,
  written: unknown,
): Promise<Static<typeof Prepared>> {
  const changes: SamlChanges = Value.Parse(SamlChanges, written);
  const now = system.clock.now();
  const isNew = before === null;
  const known = before && samlConfiguration(before.configuration);
  const url = changes.metadataUrl ?? (changes.refresh ? known?.metadataUrl : undefined);
  if (isNew && (changes.metadata === undefined) === (changes.metadataUrl === undefined))
    throw invalid('', 'Exactly one of these is needed: metadataUrl, metadata');
  if (!isNew && changes.metadata !== undefined && url) throw invalid('/metadata', 'is given beside an address');
  if (changes.refresh && !url) throw invalid('/refresh', 'needs a metadataUrl');
  return {
    url: url ?? null,
    identityProvider: await readIdentityProvider(system, { url: url ?? null, metadata: changes.metadata ?? null }),
    key: isNew || changes.keyRotation === 'begin' ? await newServiceKey('Latchkey', now) : null,
    at: now.toISOString(),
  };
}

const DAY_MS = 86_400_000;

/** What is noted when metadata were read. */
export function readAt(now: Date): Pick<SamlConfiguration, 'metadataReadAt' | 'metadataFault' | 'metadataDueAt'> {
  const metadataDueAt = new Date(now.getTime() + DAY_MS).toISOString();
  return { metadataReadAt: now.toISOString(), metadataFault: null, metadataDueAt };
}

function invalid(pointer: string, message: string) {
  return problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: `/body/saml${pointer}`, message }] } });
}

async function readIdentityProvider(
  system: System,
  { url, metadata: pasted }: { url: string | null; metadata: string | null },
): Promise<IdentityProvider | null> {
  try {
    if (url !== null) return await fetchIdentityProvider(system, url);
    return pasted === null ? null : parsedMetadata(system, pasted);
  } catch (error) {
    const message = error instanceof Error ? error.message : 'failed';
    throw invalid(url === null ? '/metadata' : '/metadataUrl', message.slice(0, 300));
  }
}

/**
 * The identity provider whose metadata are at an address.
 * @throws SamlFault, or the error of the connection
 */
export async function fetchIdentityProvider(system: System, url: string): Promise<IdentityProvider> {
  const response = await outbound(system, url, {
    headers: { accept: 'application/samlmetadata+xml, application/xml' },
  });
  if (!response.ok) throw new SamlFault('metadata', `The address responded with status ${response.status}.`);
  return parsedMetadata(system, await response.text());
}

function parsedMetadata({ clock, config }: System, text: string): IdentityProvider {
  return parseMetadata(text, { now: clock.now(), insecure: config.mode === 'development' });
}

function merge(before: Stored | null, written: unknown, prepared: unknown): Stored {
  const { identityProvider, key, at, url } = Value.Parse(Prepared, prepared);
  const changes: SamlChanges = Value.Parse(SamlChanges, written);
  if (before === null) {
    if (!identityProvider || !key) throw new Error('unreachable: both were prepared');
    const configuration: SamlConfiguration = {
      identityProvider,
      metadataUrl: changes.metadataUrl ?? null,
      ...readAt(new Date(at)),
      idpInitiatedUrl: changes.idpInitiatedUrl ?? null,
      singleLogout: changes.singleLogout ?? false,
      certificates: [key.certificate],
    };
    return { configuration, secret: JSON.stringify([key.privateKey]), keys: null };
  }
  const known = samlConfiguration(before.configuration);
  // Somebody else gave another address in the meantime.
  if (changes.refresh && url !== known.metadataUrl && changes.metadataUrl === undefined) throw problem('CONFLICT');
  const keys = rotated({ certificates: known.certificates, privateKeys: samlKeys(before.secret) }, changes, key);
  const configuration: SamlConfiguration = {
    ...known,
    ...(identityProvider && { identityProvider, ...readAt(new Date(at)) }),
    ...(changes.metadataUrl !== undefined && { metadataUrl: changes.metadataUrl }),
    // Pasted metadata are not replaced by those of an earlier address.
    ...(changes.metadata !== undefined && { metadataUrl: null }),
    ...(changes.idpInitiatedUrl !== undefined && { idpInitiatedUrl: changes.idpInitiatedUrl }),
    ...(changes.singleLogout !== undefined && { singleLogout: changes.singleLogout }),
    certificates: keys.certificates,
  };
  return { configuration, secret: JSON.stringify(keys.privateKeys), keys: null };
}

type Keys = { certificates: string[]; privateKeys: string[] };

function rotated(keys: Keys, { keyRotation }: SamlChanges, key: Static<typeof Prepared>['key']): Keys {
  if (keyRotation === 'begin' && key) {
    if (keys.certificates.length > 1) throw invalid('/keyRotation', 'has begun already');
    return {
      certificates: [...keys.certificates, key.certificate],
      privateKeys: [...keys.privateKeys, key.privateKey],
    };
  }
  if (keyRotation !== 'finish') return keys;
  if (keys.certificates.length < 2) throw invalid('/keyRotation', 'has not begun');
  return { certificates: keys.certificates.slice(1), privateKeys: keys.privateKeys.slice(1) };
}
