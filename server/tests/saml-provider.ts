import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';
import { type EncryptionAlgorithm, encrypt, type KeyEncryptionAlgorithm } from 'xml-encryption';

const encryptXml = promisify(encrypt);

const SAML = 'urn:oasis:names:tc:SAML:2.0:assertion';
const SAMLP = 'urn:oasis:names:tc:SAML:2.0:protocol';
const EXC = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';

/** A key of an identity provider, in PEM. */
export type ProviderKey = { certificate: string; privateKey: string };

/** What a test lets an assertion say. Instants are seconds from `now`. */
export type Said = {
  now: Date;
  issuer: string;
  audience: string;
  recipient: string;
  inResponseTo: string | null;
  nameId: string;
  attributes?: Record<string, string>;
  assertionId?: string;
  responseId?: string;
  notBefore?: number;
  notOnOrAfter?: number;
  issued?: number;
  sessionIndex?: string;
  destination?: string;
};

function newSamlId(): string {
  return `_${randomBytes(16).toString('hex')}`;
}

/** An assertion without a signature. */
export function assertionXml(said: Said): string {
  const at = (seconds: number) => new Date(said.now.getTime() + seconds * 1000).toISOString();
  const { issuer, audience, recipient, inResponseTo, nameId, attributes = {}, assertionId = newSamlId() } = said;
  const { notBefore = -30, notOnOrAfter = 300, issued = 0, sessionIndex = 'session-1' } = said;
  const answers = inResponseTo === null ? '' : ` InResponseTo="${inResponseTo}"`;
  const statements = Object.entries(attributes).map(
    ([name, value]) =>
      `<saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`,
  );
  return [
    `<saml:Assertion xmlns:saml="${SAML}" ID="${assertionId}" Version="2.0" IssueInstant="${at(issued)}">`,
    `<saml:Issuer>${issuer}</saml:Issuer>`,
    `<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">${nameId}</saml:NameID>`,
    '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">',
    `<saml:SubjectConfirmationData Recipient="${recipient}" NotOnOrAfter="${at(notOnOrAfter)}"${answers}/>`,
    '</saml:SubjectConfirmation></saml:Subject>',
    `<saml:Conditions NotBefore="${at(notBefore)}" NotOnOrAfter="${at(notOnOrAfter)}">`,
    `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${at(issued)}" SessionIndex="${sessionIndex}"><saml:AuthnContext>`,
    '<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</saml:AuthnContextClassRef>',
    '</saml:AuthnContext></saml:AuthnStatement>',
    statements.length > 0 ? `<saml:AttributeStatement>${statements.join('')}</saml:AttributeStatement>` : '',
    '</saml:Assertion>',
  ].join('');
}

/** A response around assertions. */
export function responseXml(said: Said, content: string): string {
  const { now, issuer, recipient, inResponseTo, responseId = newSamlId(), destination = recipient } = said;
  return [
    `<samlp:Response xmlns:samlp="${SAMLP}" ID="${responseId}" Version="2.0" IssueInstant="${now.toISOString()}"`,
    ` Destination="${destination}"${inResponseTo === null ? '' : ` InResponseTo="${inResponseTo}"`}>`,
    `<saml:Issuer xmlns:saml="${SAML}">${issuer}</saml:Issuer>`,
    '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>',
    content,
    '</samlp:Response>',
  ].join('');
}

type Signing = {
  element: 'Assertion' | 'Response' | 'AuthnRequest' | 'LogoutRequest';
  signatureAlgorithm?: string;
  digestAlgorithm?: string;
  canonicalization?: string;
};

/** Signs an element of a document, as an identity provider does. */
export function signXml(
  xml: string,
  { certificate, privateKey }: ProviderKey,
  { element, signatureAlgorithm = RSA_SHA256, digestAlgorithm = SHA256, canonicalization = EXC }: Signing,
): string {
  const signed = new SignedXml({
    privateKey,
    publicCert: certificate,
    signatureAlgorithm,
    canonicalizationAlgorithm: canonicalization,
  });
  const path = `//*[local-name(.)='${element}']`;
  signed.addReference({ xpath: path, digestAlgorithm, transforms: [ENVELOPED, canonicalization] });
  signed.computeSignature(xml, {
    prefix: 'ds',
    location: { reference: `${path}/*[local-name(.)='Issuer']`, action: 'after' },
  });
  return signed.getSignedXml();
}

/** A response as most identity providers send it: the assertion is signed. */
export function signedResponse(said: Said, key: ProviderKey): string {
  return responseXml(said, signXml(assertionXml(said), key, { element: 'Assertion' }));
}

/** An assertion, encrypted for a service provider. */
export async function encryptedAssertion(
  assertion: string,
  certificate: string,
  algorithms: { content?: EncryptionAlgorithm; key?: KeyEncryptionAlgorithm } = {},
): Promise<string> {
  const { content = 'http://www.w3.org/2009/xmlenc11#aes256-gcm' } = algorithms;
  const { key = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p' } = algorithms;
  const data = await encryptXml(assertion, {
    rsa_pub: certificate,
    pem: certificate,
    encryptionAlgorithm: content,
    keyEncryptionAlgorithm: key,
    disallowEncryptionWithInsecureAlgorithm: false,
    warnInsecureAlgorithm: false,
  });
  return `<saml:EncryptedAssertion xmlns:saml="${SAML}">${data}</saml:EncryptedAssertion>`;
}

/** The request in the address that a browser is sent to. */
export function requestIn(address: string): { xml: string; relayState: string; id: string; url: URL } {
  const url = new URL(address);
  const encoded = url.searchParams.get('SAMLRequest') ?? '';
  const xml = inflateRawSync(Buffer.from(encoded, 'base64')).toString();
  return { xml, relayState: url.searchParams.get('RelayState') ?? '', id: /\bID="([^"]+)"/.exec(xml)?.[1] ?? '', url };
}

type Describing = { entityId: string; signOn: string; logout?: string | undefined; certificates: readonly string[] };

/** The metadata of an identity provider. */
export function providerMetadata({ entityId, signOn, logout, certificates }: Describing): string {
  const keys = certificates.map((certificate) => {
    const encoded = certificate.replace(/-----[A-Z ]+-----|\s/g, '');
    return `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${encoded}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;
  });
  const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
  return [
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">`,
    `<md:IDPSSODescriptor protocolSupportEnumeration="${SAMLP}">`,
    ...keys,
    logout === undefined ? '' : `<md:SingleLogoutService Binding="${redirect}" Location="${logout}"/>`,
    `<md:SingleSignOnService Binding="${redirect}" Location="${signOn}"/>`,
    '</md:IDPSSODescriptor></md:EntityDescriptor>',
  ].join('');
}
