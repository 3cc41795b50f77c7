import { createSign } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { ASSERTION, POST, PROTOCOL, RSA_SHA256 } from './names.ts';
import { escapeXml } from './xml.ts';

const deflate = promisify(deflateRaw);

type AuthnRequest = {
  id: string;
  issuedAt: Date;
  /** The sign-in page of the identity provider. */
  destination: string;
  entityId: string;
  consumer: string;
  relayState: string;
  /** Of our key, in PEM. */
  privateKey: string;
};

/**
 * An authentication request (SAML Core §3.4.1). It asks for no NameID format, because identity providers refuse those
 * that they do not have.
 */
function authnRequest({ id, issuedAt, destination, entityId, consumer }: AuthnRequest): string {
  return [
    `<samlp:AuthnRequest xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="${id}" Version="2.0"`,
    ` IssueInstant="${issuedAt.toISOString()}" Destination="${escapeXml(destination)}"`,
    ` ProtocolBinding="${POST}" AssertionConsumerServiceURL="${escapeXml(consumer)}">`,
    `<saml:Issuer>${escapeXml(entityId)}</saml:Issuer></samlp:AuthnRequest>`,
  ].join('');
}

/** The address that takes a request to the identity provider, signed (SAML Bindings §3.4.4.1). */
export async function requestAddress(request: AuthnRequest): Promise<string> {
  const { destination, relayState, privateKey } = request;
  const encoded = (await deflate(authnRequest(request))).toString('base64');
  const query = [
    ['SAMLRequest', encoded],
    ['RelayState', relayState],
    ['SigAlg', RSA_SHA256],
  ]
    .map(([name, value = '']) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const signature = createSign('RSA-SHA256').update(query).sign(privateKey, 'base64');
  const joint = destination.includes('?') ? '&' : '?';
  return `${destination}${joint}${query}&Signature=${encodeURIComponent(signature)}`;
}
