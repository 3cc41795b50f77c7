import { X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { findOrganizationId } from '#organizations';
import type { Environment, TxCtx } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { SamlFault, serviceProviders } from '#saml';
import type { ApplicationKind } from './grants.ts';
import { uriFault } from './redirect-uris.ts';
import { ATTRIBUTE_PRESETS, attributePresetNames, SamlAttribute } from './saml-attributes.ts';
import { type Described, Reading, readingOf, type ServiceProviderDescription } from './saml-metadata.ts';

const { certificateFrom, canEncrypt } = serviceProviders;

const address = Type.String({ minLength: 1, maxLength: 2_000 });
const certificate = Type.String({ minLength: 1, maxLength: 10_000 });

const fields = {
  entityId: Type.String({ minLength: 1, maxLength: 1_024, description: 'Of the service provider.' }),
  consumers: Type.Array(Type.Object({ url: address, index: Type.Integer({ minimum: 0, maximum: 65_535 }) }), {
    minItems: 1,
    maxItems: 20,
    description:
      'The assertion consumer services, compared as exact strings. Responses go to the first unless the request names another.',
  }),
  signingCertificates: Type.Array(certificate, {
    maxItems: 10,
    description: 'In PEM. The signature of a request must be by one of them.',
  }),
  encryptionCertificate: nullable(certificate),
  logout: Type.Union(
    [
      Type.Object({
        url: address,
        responseUrl: Type.Optional(
          Type.String({ minLength: 1, maxLength: 2_000, description: 'Where responses go; default: `url`.' }),
        ),
        binding: Type.Enum(['redirect', 'post']),
      }),
      Type.Null(),
    ],
    { description: 'Where the service provider takes part in single logout; null: it does not.' },
  ),
  requireSignedRequests: Type.Boolean({ description: 'Requests without a valid signature are refused.' }),
  encryptAssertions: Type.Boolean({ description: 'With `encryptionCertificate`; AES-256-GCM and RSA-OAEP.' }),
  sign: Type.Enum(['assertion', 'response', 'both'], { description: 'What is signed, with RSA and SHA-256.' }),
  nameIdFormat: Type.Enum(['persistent', 'emailAddress', 'transient', 'unspecified'], {
    description:
      '`persistent`: an identifier that no other application sees. `emailAddress`: the verified email address; people without one are refused. `transient`: another one in each session. `unspecified`: the id of the user.',
  }),
  attributes: Type.Array(SamlAttribute, { maxItems: 40, description: 'What assertions say about the person.' }),
  sessionSeconds: Type.Union([Type.Integer({ minimum: 60, maximum: 365 * 86_400 }), Type.Null()], {
    description:
      'How long the session at the service provider may last (`SessionNotOnOrAfter`), at most as long as the session here; null: it decides itself.',
  }),
  idpInitiated: Type.Boolean({ description: 'Sign-ins may begin here, at the start address of the application.' }),
  organizationId: Type.Union([IdSchema('org'), Type.Null()], {
    description:
      'People sign in to this organization, and must be its members. null: to that which the request names, if any.',
  }),
};

/** What is stored of an application by SAML. */
const StoredSaml = Type.Object({
  ...fields,
  metadataUrl: nullable(Type.String()),
  /** Of the metadata at `metadataUrl`; missing where an earlier version wrote the application. */
  reading: Type.Optional(nullable(Reading)),
});
export type StoredSaml = Static<typeof StoredSaml>;

const Certificate = Type.Object({
  use: Type.Enum(['signing', 'encryption']),
  subject: Type.String(),
  fingerprint: Type.String({ description: 'SHA-256.' }),
  validUntil: Instant,
});

/** What administrators see of an application by SAML. */
export const SamlApplication = Type.Object(
  {
    ...fields,
    metadataUrl: nullable(Type.String()),
    metadataReadAt: nullable(Instant),
    metadataFault: nullable(
      Type.String({ description: 'Why the last reading failed; the settings stay as they were.' }),
    ),
    certificates: Type.Array(Certificate, {
      description: 'What is in `signingCertificates` and `encryptionCertificate`. SAML ignores when they end.',
    }),
  },
  { title: 'SamlApplication' },
);

export function shownSaml({ reading, ...saml }: StoredSaml): Static<typeof SamlApplication> {
  const { signingCertificates, encryptionCertificate } = saml;
  return {
    ...saml,
    metadataReadAt: reading?.readAt ?? null,
    metadataFault: reading?.fault ?? null,
    certificates: [
      ...signingCertificates.map((pem) => shownCertificate('signing', pem)),
      ...(encryptionCertificate === null ? [] : [shownCertificate('encryption', encryptionCertificate)]),
    ],
  };
}

function shownCertificate(use: 'signing' | 'encryption', pem: string): Static<typeof Certificate> {
  const { subject, fingerprint256, validToDate } = new X509Certificate(pem);
  const validUntil = validToDate.toISOString();
  return { use, subject: subject.replaceAll('\n', ', '), fingerprint: fingerprint256, validUntil };
}

/** What an administrator writes. Metadata fill in the fields of the service provider; fields beside them win. */
export const SamlChanges = Type.Object(
  {
    ...Type.Partial(Type.Object(fields)).properties,
    metadata: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200_000, description: 'The metadata of the service provider, as XML.' }),
    ),
    metadataUrl: Type.Optional(
      Type.Union([Type.String({ format: 'uri', maxLength: 2_048, pattern: '^https?://' }), Type.Null()], {
        description:
          'Where the service provider publishes its metadata. They are read now and again every day. Fields that you changed stay as you wrote them, until you give the address again. null: they are not read again.',
      }),
    ),
    refresh: Type.Optional(
      Type.Literal(true, { description: 'Reads the metadata at `metadataUrl` now, as every day.' }),
    ),
    attributePreset: Type.Optional(
      Type.Enum([...attributePresetNames], {
        description:
          'Replaces `attributes` by usual names: `basic` words, the `claims` addresses of Microsoft, or the object identifiers of `ldap`.',
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type SamlChanges = Static<typeof SamlChanges>;

const NEW: Omit<StoredSaml, 'entityId' | 'consumers'> = {
  signingCertificates: [],
  encryptionCertificate: null,
  logout: null,
  requireSignedRequests: false,
  encryptAssertions: false,
  sign: 'both',
  nameIdFormat: 'persistent',
  attributes: [...ATTRIBUTE_PRESETS.basic],
  sessionSeconds: null,
  idpInitiated: false,
  organizationId: null,
  metadataUrl: null,
  reading: null,
};

type Fault = { pointer: string; message: string };

function invalid(faults: readonly Fault[]) {
  const errors = faults.map(({ pointer, message }) => ({ pointer: `/body/saml${pointer}`, message }));
  return problem('VALIDATION_FAILED', { extensions: { errors } });
}

/** The fields that an application by SAML has besides `saml`. */
const COMMON: readonly string[] = ['kind', 'name', 'firstParty', 'enabled', 'saml'];

/**
 * Checks that only applications by SAML have its fields, and none of OAuth.
 * @throws Problem VALIDATION_FAILED
 */
export function checkSamlFields(kind: ApplicationKind, body: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(body).filter((name) => body[name] !== undefined);
  const foreign =
    kind === 'saml' ? names.filter((name) => !COMMON.includes(name)) : names.filter((name) => name === 'saml');
  const message = kind === 'saml' ? 'is not for the kind "saml"' : 'is for the kind "saml" only';
  if (foreign.length > 0)
    throw problem('VALIDATION_FAILED', {
      extensions: { errors: foreign.map((name) => ({ pointer: `/body/${name}`, message })) },
    });
}

type Written = { changes: SamlChanges; described: Described | null };

/**
 * Merges what an administrator writes with what is stored.
 * @param before null: the application is new
 * @throws Problem VALIDATION_FAILED, CONFLICT
 */
export async function mergedSaml(tx: TxCtx, before: StoredSaml | null, written: Written): Promise<StoredSaml> {
  const { entityId, consumers, ...others } = fieldsOf(tx.now, before, written);
  if (entityId === undefined || consumers === undefined)
    throw invalid([{ pointer: '', message: 'needs metadata, metadataUrl, or entityId and consumers' }]);
  const saml = Value.Parse(StoredSaml, { ...NEW, ...others, entityId, consumers });
  const faults = faultsOf(tx.scope.environment, saml);
  if (saml.organizationId !== null && (await findOrganizationId(tx, saml.organizationId)) === undefined)
    faults.push({ pointer: '/organizationId', message: 'is no organization of this project' });
  if (faults.length > 0) throw invalid(faults);
  return {
    ...saml,
    signingCertificates: saml.signingCertificates.map(certificateFrom),
    encryptionCertificate: saml.encryptionCertificate && certificateFrom(saml.encryptionCertificate),
  };
}

/** What is written wins over what the metadata say, and that over what is stored. */
function fieldsOf(now: Date, before: StoredSaml | null, { changes, described }: Written): Partial<StoredSaml> {
  const { metadata: _, metadataUrl, refresh, attributePreset, ...written } = changes;
  return {
    ...(before ?? NEW),
    ...(described && (refresh ? refreshedByHand(before, described) : takenOver(before, described))),
    ...(attributePreset && { attributes: [...ATTRIBUTE_PRESETS[attributePreset]] }),
    ...written,
    ...(metadataUrl === null && { metadataUrl, reading: null }),
    // Pasted metadata are not replaced by those of an earlier address.
    ...(described && { metadataUrl: described.url, reading: readingOf(described, now) }),
  };
}

function takenOver(before: StoredSaml | null, { provider }: Described): Partial<StoredSaml> {
  const { signsRequests, ...read } = provider;
  return before === null && signsRequests ? { ...read, requireSignedRequests: true } : read;
}

function refreshedByHand(before: StoredSaml | null, { provider, url }: Described): Partial<StoredSaml> {
  // Somebody else gave another address in the meantime.
  if (before?.metadataUrl !== url) throw problem('CONFLICT');
  const other = anotherProvider(before, provider);
  if (other !== null) throw invalid([{ pointer: '/refresh', message: other }]);
  return followed(before, provider);
}

/**
 * Takes over what the metadata say now. A field that differs from what they said before is the administrator's and
 * stays. Where an earlier version did not note what they said, every field that differs stays.
 */
export function followed(
  before: StoredSaml,
  { signsRequests: _, ...provider }: ServiceProviderDescription,
): StoredSaml {
  const earlier = before.reading?.read ?? provider;
  const kept = PROVIDED.filter((name) => !isDeepStrictEqual(plain(before[name]), plain(earlier[name])));
  return { ...before, ...provider, ...Object.fromEntries(kept.map((name) => [name, before[name]])) };
}

/**
 * Why metadata are not followed: another service provider would get what people allowed to this one.
 * @returns null if they are of the same
 */
export function anotherProvider(
  { entityId, reading }: StoredSaml,
  now: Pick<ServiceProviderDescription, 'entityId'>,
): string | null {
  if (now.entityId === (reading?.read ?? { entityId }).entityId) return null;
  return `The address now describes ${now.entityId}, another service provider.`;
}

/** What metadata say. */
const PROVIDED = ['entityId', 'consumers', 'signingCertificates', 'encryptionCertificate', 'logout'] as const;

/** As it is stored: without undefined values. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** What is wrong with settings, apart from the organization. */
export function faultsOf(environment: Environment, saml: StoredSaml): Fault[] {
  return [...settingFaults(environment, saml), ...certificateFaults(saml)];
}

function settingFaults(environment: Environment, saml: StoredSaml): Fault[] {
  const { consumers, logout, attributes } = saml;
  const ofAddress = (pointer: string, url: string) => {
    const message = uriFault(url, environment, false);
    return message === null ? [] : [{ pointer, message: `${message}; received ${url}` }];
  };
  const twice = (values: readonly (string | number)[]) => new Set(values).size < values.length;
  return [
    ...consumers.flatMap(({ url }, index) => ofAddress(`/consumers/${index}/url`, url)),
    ...(twice(consumers.map(({ index }) => index)) ? [{ pointer: '/consumers', message: 'have an index twice' }] : []),
    ...(logout ? ofAddress('/logout/url', logout.url) : []),
    ...(logout?.responseUrl === undefined ? [] : ofAddress('/logout/responseUrl', logout.responseUrl)),
    ...(twice(attributes.map(({ name }) => name)) ? [{ pointer: '/attributes', message: 'have a name twice' }] : []),
    ...(saml.requireSignedRequests && saml.signingCertificates.length === 0
      ? [{ pointer: '/requireSignedRequests', message: 'needs signingCertificates' }]
      : []),
    ...(saml.encryptAssertions && saml.encryptionCertificate === null
      ? [{ pointer: '/encryptAssertions', message: 'needs an encryptionCertificate' }]
      : []),
  ];
}

function certificateFaults({ signingCertificates, encryptionCertificate }: StoredSaml): Fault[] {
  const written = [
    ...signingCertificates.map((pem, index) => ({ pointer: `/signingCertificates/${index}`, pem })),
    ...(encryptionCertificate === null ? [] : [{ pointer: '/encryptionCertificate', pem: encryptionCertificate }]),
  ];
  return written.flatMap(({ pointer, pem }) => {
    try {
      const usable = canEncrypt(certificateFrom(pem)) || pointer !== '/encryptionCertificate';
      return usable ? [] : [{ pointer, message: 'has no RSA key' }];
    } catch (error) {
      return [{ pointer, message: error instanceof SamlFault ? error.message : 'cannot be read' }];
    }
  });
}
