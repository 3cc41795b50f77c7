import { X509Certificate } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { isAcceptedKey } from './algorithms.ts';
import { SamlFault } from './fault.ts';
import { AES_128_GCM, AES_256_GCM, METADATA, POST, PROTOCOL, REDIRECT, RSA_OAEP, SIGNATURE } from './names.ts';
import {
  attribute,
  child,
  childrenNamed,
  descendantsNamed,
  type Element,
  escapeXml,
  is,
  parseXml,
  textOf,
} from './xml.ts';

const Address = Type.String({ maxLength: 2_000 });

/** An identity provider, as its metadata describe it. */
export const IdentityProvider = Type.Object({
  entityId: Type.String({ maxLength: 1_024 }),
  /** In PEM. */
  certificates: Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 10 }),
  /** Where requests go. */
  signOnUrl: Address,
  /** The binding of requests; absent: HTTP-Redirect. */
  signOnBinding: Type.Optional(Type.Enum(['redirect', 'post'])),
  /** Where people log out; missing: nowhere. */
  logout: Type.Optional(Type.Object({ url: Address, responseUrl: Address, binding: Type.Enum(['redirect', 'post']) })),
});
export type IdentityProvider = Static<typeof IdentityProvider>;

const MAX_CERTIFICATES = 10;

/**
 * Reads metadata of one identity provider (SAML Metadata §2.4.3). A signature of the metadata is not checked: they come
 * from an administrator, or over TLS from an address that an administrator gave.
 * @param insecure whether addresses may be without TLS
 * @throws SamlFault
 */
export function parseMetadata(source: string, { now, insecure }: { now: Date; insecure: boolean }): IdentityProvider {
  const root = parseXml(source);
  const entity = entityOf(root, 'IDPSSODescriptor');
  const entityId = requireValid(root, entity, now);
  const role = child(entity, METADATA, 'IDPSSODescriptor');
  if (!role || !attribute(role, 'protocolSupportEnumeration')?.split(/\s+/).includes(PROTOCOL))
    throw metadataFault('The metadata describe no identity provider of SAML 2.0.');
  return {
    entityId,
    certificates: signingCertificates(role),
    ...signOnOf(role, insecure),
    ...logoutOf(role, insecure),
  };
}

export function metadataFault(message: string): SamlFault {
  return new SamlFault('metadata', message);
}

const ROLES = { IDPSSODescriptor: 'identity providers', SPSSODescriptor: 'service providers' } as const;

/**
 * The one entity that has a role.
 * @throws SamlFault
 */
export function entityOf(root: Element, role: keyof typeof ROLES): Element {
  if (is(root, METADATA, 'EntityDescriptor')) return root;
  if (!is(root, METADATA, 'EntitiesDescriptor')) throw metadataFault('The XML is not SAML metadata.');
  const providers = descendantsNamed(root, METADATA, 'EntityDescriptor').filter(
    (entity) => childrenNamed(entity, METADATA, role).length > 0,
  );
  const [only, second] = providers;
  if (!only || second) throw metadataFault(`The metadata describe ${providers.length} ${ROLES[role]} instead of one.`);
  return only;
}

/**
 * Checks that the metadata name their entity and still count.
 * @returns the entity id
 * @throws SamlFault
 */
export function requireValid(root: Element, entity: Element, now: Date): string {
  const entityId = attribute(entity, 'entityID');
  if (entityId === null || entityId.length > 1_024) throw metadataFault('The metadata have no entityID.');
  for (const element of [root, entity]) {
    const until = attribute(element, 'validUntil');
    if (until !== null && !(new Date(until).getTime() > now.getTime()))
      throw metadataFault(`The metadata ended at ${until}.`);
  }
  return entityId;
}

function signingCertificates(role: Element): string[] {
  const certificates = certificatesFor(role, 'signing');
  if (certificates.length === 0) throw metadataFault('The metadata have no certificate that signs.');
  return certificates;
}

/**
 * The certificates of a role for a use; a key without a use is for both.
 * @throws SamlFault
 */
export function certificatesFor(role: Element, use: 'signing' | 'encryption'): string[] {
  const keys = childrenNamed(role, METADATA, 'KeyDescriptor').filter((key) => (attribute(key, 'use') ?? use) === use);
  const encoded = keys.flatMap((key) => descendantsNamed(key, SIGNATURE, 'X509Certificate')).map(textOf);
  const certificates = [...new Set(encoded.map(certificateFrom))];
  if (certificates.length > MAX_CERTIFICATES)
    throw metadataFault(`The metadata have over ${MAX_CERTIFICATES} certificates.`);
  return certificates;
}

/**
 * A certificate in PEM, from base64 or PEM. Its dates and issuer mean nothing in SAML: it carries a key that is trusted
 * because the metadata name it.
 * @throws SamlFault
 */
export function certificateFrom(encoded: string): string {
  try {
    const certificate = new X509Certificate(Buffer.from(encoded.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64'));
    if (!isAcceptedKey(certificate))
      throw metadataFault('A certificate has no RSA key of at least 2048 bits and no key on P-256 or P-384.');
    return certificate.toString();
  } catch (error) {
    throw error instanceof SamlFault ? error : new SamlFault('metadata', 'A certificate can not be read.', error);
  }
}

/** The endpoint of a service, by redirect if it has one, because a form is an extra page. */
function endpointOf(role: Element, name: string): { element: Element; binding: 'redirect' | 'post' } | undefined {
  const services = childrenNamed(role, METADATA, name);
  for (const [binding, identifier] of [
    ['redirect', REDIRECT],
    ['post', POST],
  ] as const) {
    const element = services.find((one) => attribute(one, 'Binding') === identifier);
    if (element) return { element, binding };
  }
  return undefined;
}

function signOnOf(role: Element, insecure: boolean): Pick<IdentityProvider, 'signOnUrl' | 'signOnBinding'> {
  const service = endpointOf(role, 'SingleSignOnService');
  if (!service) throw metadataFault('The metadata have no SingleSignOnService by HTTP-Redirect or HTTP-POST.');
  const signOnUrl = httpsAddress(service.element, insecure);
  return service.binding === 'redirect' ? { signOnUrl } : { signOnUrl, signOnBinding: 'post' };
}

/** An address that cannot be used is ignored: people sign in without it. */
function logoutOf(role: Element, insecure: boolean): Pick<IdentityProvider, 'logout'> {
  const service = endpointOf(role, 'SingleLogoutService');
  const responses = service && attribute(service.element, 'ResponseLocation');
  try {
    if (!service) return {};
    const url = httpsAddress(service.element, insecure);
    const responseUrl = responses ? httpsAddress(service.element, insecure, 'ResponseLocation') : url;
    return { logout: { url, responseUrl, binding: service.binding } };
  } catch {
    return {};
  }
}

export function httpsAddress(
  service: Element,
  insecure: boolean,
  name: 'Location' | 'ResponseLocation' = 'Location',
): string {
  const written = attribute(service, name) ?? '';
  const url = URL.parse(written);
  if (!url || written.length > 2_000 || !(url.protocol === 'https:' || (insecure && url.protocol === 'http:')))
    throw metadataFault(`${name} is not an https address: ${written.slice(0, 200)}.`);
  return url.href;
}

/** This side of a connection. */
export type ServiceProvider = {
  entityId: string;
  /** The addresses of the assertion consumer service; the first is the default. */
  consumers: readonly string[];
  /** The address of the single logout service. */
  logout: string;
  /** In PEM; the first signs. */
  certificates: readonly string[];
};

/** The metadata that an administrator gives to the identity provider. */
export function serviceProviderMetadata({ entityId, consumers, logout, certificates }: ServiceProvider): string {
  const keys = certificates.flatMap((certificate) => {
    const encoded = certificate.replace(/-----[A-Z ]+-----|\s/g, '');
    const info = `<ds:KeyInfo xmlns:ds="${SIGNATURE}"><ds:X509Data><ds:X509Certificate>${encoded}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
    const methods = [AES_256_GCM, AES_128_GCM, RSA_OAEP].map((name) => `<md:EncryptionMethod Algorithm="${name}"/>`);
    return [
      `<md:KeyDescriptor use="signing">${info}</md:KeyDescriptor>`,
      `<md:KeyDescriptor use="encryption">${info}${methods.join('')}</md:KeyDescriptor>`,
    ];
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${escapeXml(entityId)}">`,
    `<md:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true" protocolSupportEnumeration="${PROTOCOL}">`,
    ...keys,
    ...[REDIRECT, POST].map(
      (binding) => `<md:SingleLogoutService Binding="${binding}" Location="${escapeXml(logout)}"/>`,
    ),
    ...consumers.map(
      (consumer, index) =>
        `<md:AssertionConsumerService Binding="${POST}" Location="${escapeXml(consumer)}" index="${index}" isDefault="${index === 0}"/>`,
    ),
    '</md:SPSSODescriptor></md:EntityDescriptor>',
  ].join('');
}
