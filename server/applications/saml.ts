import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { findOrganizationId } from '#organizations';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import { outbound } from '#platform/fetch.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { nullable } from '#platform/schemas.ts';
import type { System } from '#platform/system.ts';
import { SamlFault, serviceProviders } from '#saml';
import type { ApplicationKind } from './grants.ts';
import { uriFault } from './redirect-uris.ts';
import { ATTRIBUTE_PRESETS, attributePresetNames, SamlAttribute } from './saml-attributes.ts';

const { certificateFrom, canEncrypt } = serviceProviders;
type ServiceProviderDescription = ReturnType<typeof serviceProviders.parse>;

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

/** What administrators see of an application by SAML, and what is stored. */
export const SamlApplication = Type.Object(
  { ...fields, metadataUrl: nullable(Type.String()) },
  { title: 'SamlApplication' },
);
export type SamlApplication = Static<typeof SamlApplication>;

/** What an administrator writes. Metadata fill in the fields of the service provider; fields beside them win. */
export const SamlChanges = Type.Object(
  {
    ...Type.Partial(Type.Object(fields)).properties,
    metadata: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200_000, description: 'The metadata of the service provider, as XML.' }),
    ),
    metadataUrl: Type.Optional(
      Type.String({
        format: 'uri',
        maxLength: 2_048,
        pattern: '^https?://',
        description:
          'Where the service provider publishes its metadata. They are read now; give it again to read them again.',
      }),
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

const NEW: Omit<SamlApplication, 'entityId' | 'consumers'> = {
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

/**
 * Reads the metadata that an administrator gives, before the change becomes a transaction.
 * @throws Problem VALIDATION_FAILED
 */
export async function describedServiceProvider(
  { system }: Pick<Ctx, 'system'>,
  { metadata, metadataUrl }: SamlChanges,
): Promise<ServiceProviderDescription | null> {
  if (metadata !== undefined && metadataUrl !== undefined)
    throw invalid([{ pointer: '/metadata', message: 'is given beside an address' }]);
  try {
    if (metadataUrl !== undefined) return await fetchMetadata(system, metadataUrl);
    return metadata === undefined ? null : parsed(system, metadata);
  } catch (error) {
    const message = error instanceof Error ? error.message : 'failed';
    throw invalid([{ pointer: metadata === undefined ? '/metadataUrl' : '/metadata', message: message.slice(0, 300) }]);
  }
}

async function fetchMetadata(system: System, url: string): Promise<ServiceProviderDescription> {
  const accept = 'application/samlmetadata+xml, application/xml';
  const response = await outbound(system, url, { headers: { accept } });
  if (!response.ok) throw new SamlFault('metadata', `The address responded with status ${response.status}.`);
  return parsed(system, await response.text());
}

/** Addresses without TLS are judged by the rule for redirect addresses. */
function parsed({ clock }: System, text: string): ServiceProviderDescription {
  return serviceProviders.parse(text, { now: clock.now(), insecure: true });
}

/**
 * Merges what an administrator writes with what is stored.
 * @param before null: the application is new
 * @throws Problem VALIDATION_FAILED
 */
export async function mergedSaml(
  tx: TxCtx,
  before: SamlApplication | null,
  { changes, described }: { changes: SamlChanges; described: ServiceProviderDescription | null },
): Promise<SamlApplication> {
  const { metadata, metadataUrl, attributePreset, ...written } = changes;
  const { signsRequests, ...read } = described ?? {};
  const merged: Partial<SamlApplication> = {
    ...(before ?? NEW),
    ...read,
    ...(before === null && signsRequests && { requireSignedRequests: true }),
    ...(attributePreset && { attributes: [...ATTRIBUTE_PRESETS[attributePreset]] }),
    ...written,
    ...(metadataUrl !== undefined && { metadataUrl }),
    ...(metadata !== undefined && { metadataUrl: null }),
  };
  const { entityId, consumers } = merged;
  if (entityId === undefined || consumers === undefined)
    throw invalid([{ pointer: '', message: 'needs metadata, metadataUrl, or entityId and consumers' }]);
  const saml = Value.Parse(SamlApplication, { ...NEW, ...merged, entityId, consumers });
  const faults = [...faultsOf(tx.scope.environment, saml), ...certificateFaults(saml)];
  if (saml.organizationId !== null && (await findOrganizationId(tx, saml.organizationId)) === undefined)
    faults.push({ pointer: '/organizationId', message: 'is no organization of this project' });
  if (faults.length > 0) throw invalid(faults);
  return {
    ...saml,
    signingCertificates: saml.signingCertificates.map(certificateFrom),
    encryptionCertificate: saml.encryptionCertificate && certificateFrom(saml.encryptionCertificate),
  };
}

function faultsOf(environment: Environment, saml: SamlApplication): Fault[] {
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

function certificateFaults({ signingCertificates, encryptionCertificate }: SamlApplication): Fault[] {
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
