import { X509Certificate } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { certificatesFor, entityOf, httpsAddress, metadataFault, requireValid } from './metadata.ts';
import { METADATA, NAME_ID_FORMATS, POST, PROTOCOL, REDIRECT } from './names.ts';
import { attribute, child, childrenNamed, type Element, escapeXml, parseXml } from './xml.ts';

/** A service provider, as its metadata describe it. */
export const ServiceProviderDescription = Type.Object({
  entityId: Type.String({ maxLength: 1_024 }),
  /** The assertion consumer services; the first is the default. */
  consumers: Type.Array(Type.Object({ url: Type.String(), index: Type.Integer() })),
  /** In PEM. */
  signingCertificates: Type.Array(Type.String()),
  encryptionCertificate: Type.Union([Type.String(), Type.Null()]),
  logout: Type.Union([
    Type.Object({
      url: Type.String(),
      responseUrl: Type.Optional(Type.String()),
      binding: Type.Enum(['redirect', 'post']),
    }),
    Type.Null(),
  ]),
  signsRequests: Type.Boolean(),
});
export type ServiceProviderDescription = Static<typeof ServiceProviderDescription>;

/** Keys are transported by RSA-OAEP. */
export function canEncrypt(certificate: string): boolean {
  return new X509Certificate(certificate).publicKey.asymmetricKeyType === 'rsa';
}

const MAX_CONSUMERS = 20;
/** The largest index: an unsigned short (SAML Metadata §2.2.3). */
const MAX_INDEX = 65_535;

/**
 * Reads metadata of one service provider (SAML Metadata §2.4.4). As with identity providers, their signature is not
 * checked.
 * @param insecure whether addresses may be without TLS
 * @throws SamlFault
 */
export function parseServiceProvider(
  source: string,
  { now, insecure }: { now: Date; insecure: boolean },
): ServiceProviderDescription {
  const root = parseXml(source);
  const entity = entityOf(root, 'SPSSODescriptor');
  const entityId = requireValid(root, entity, now);
  const role = child(entity, METADATA, 'SPSSODescriptor');
  if (!role || !attribute(role, 'protocolSupportEnumeration')?.split(/\s+/).includes(PROTOCOL))
    throw metadataFault('The metadata describe no service provider of SAML 2.0.');
  const encryptionCertificate = certificatesFor(role, 'encryption').find(canEncrypt) ?? null;
  return {
    entityId,
    consumers: consumersOf(role, insecure),
    signingCertificates: certificatesFor(role, 'signing'),
    encryptionCertificate,
    logout: logoutOf(role, insecure),
    signsRequests: attribute(role, 'AuthnRequestsSigned') === 'true',
  };
}

function consumersOf(role: Element, insecure: boolean): ServiceProviderDescription['consumers'] {
  const services = childrenNamed(role, METADATA, 'AssertionConsumerService').filter(
    (service) => attribute(service, 'Binding') === POST,
  );
  if (services.length === 0) throw metadataFault('The metadata have no AssertionConsumerService by HTTP-POST.');
  if (services.length > MAX_CONSUMERS)
    throw metadataFault(`The metadata have over ${MAX_CONSUMERS} consumer services.`);
  const isDefault = (service: Element) => attribute(service, 'isDefault') === 'true';
  return [...services.filter(isDefault), ...services.filter((service) => !isDefault(service))].map((service) => ({
    url: httpsAddress(service, insecure),
    index: indexOf(service),
  }));
}

function indexOf(service: Element): number {
  const index = attribute(service, 'index') ?? '0';
  if (!/^\d{1,5}$/.test(index) || Number(index) > MAX_INDEX)
    throw metadataFault('The index of an AssertionConsumerService is no number of 16 bits.');
  return Number(index);
}

function logoutOf(role: Element, insecure: boolean): ServiceProviderDescription['logout'] {
  const services = childrenNamed(role, METADATA, 'SingleLogoutService');
  for (const [binding, name] of [
    ['redirect', REDIRECT],
    ['post', POST],
  ] as const) {
    const service = services.find((one) => attribute(one, 'Binding') === name);
    if (!service) continue;
    const url = httpsAddress(service, insecure);
    if (attribute(service, 'ResponseLocation') === null) return { url, binding };
    return { url, responseUrl: httpsAddress(service, insecure, 'ResponseLocation'), binding };
  }
  return null;
}

/** This side of an application by SAML. */
export type OwnProvider = {
  entityId: string;
  signOnUrls: readonly string[];
  logoutUrls: readonly string[];
  /** In PEM; each may sign. */
  certificates: readonly string[];
  nameIdFormat: keyof typeof NAME_ID_FORMATS;
  wantsSignedRequests: boolean;
};

/** The metadata that the service provider reads. */
export function identityProviderMetadata(own: OwnProvider): string {
  const services = (name: string, urls: readonly string[]) =>
    urls.flatMap((url) =>
      [REDIRECT, POST].map((binding) => `<md:${name} Binding="${binding}" Location="${escapeXml(url)}"/>`),
    );
  const keys = own.certificates.map((certificate) => {
    const encoded = certificate.replace(/-----[A-Z ]+-----|\s/g, '');
    return `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${encoded}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${escapeXml(own.entityId)}">`,
    `<md:IDPSSODescriptor WantAuthnRequestsSigned="${own.wantsSignedRequests}" protocolSupportEnumeration="${PROTOCOL}">`,
    ...keys,
    ...services('SingleLogoutService', own.logoutUrls),
    `<md:NameIDFormat>${NAME_ID_FORMATS[own.nameIdFormat]}</md:NameIDFormat>`,
    ...services('SingleSignOnService', own.signOnUrls),
    '</md:IDPSSODescriptor></md:EntityDescriptor>',
  ].join('');
}
