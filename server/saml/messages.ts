import { checkIssuer, SKEW_MS } from './expected.ts';
import { SamlFault } from './fault.ts';
import { instantOf } from './instants.ts';
import { ASSERTION, POST, PROTOCOL } from './names.ts';
import { attribute, child, type Element, escapeXml, is } from './xml.ts';

/** What every message names. */
export type MessageHead = {
  id: string;
  issuedAt: Date;
  destination: string;
  /** The entity id of the sender. */
  issuer: string;
};

/** A message without a signature; its prefixes are `samlp` and `saml`. */
export function messageXml(
  name: string,
  { id, issuedAt, destination, issuer }: MessageHead,
  { attributes = {}, content = '' }: { attributes?: Readonly<Record<string, string>>; content?: string },
): string {
  const all = { ID: id, Version: '2.0', IssueInstant: issuedAt.toISOString(), Destination: destination, ...attributes };
  const written = Object.entries(all).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  return [
    `<samlp:${name} xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}"${written.join('')}>`,
    `<saml:Issuer>${escapeXml(issuer)}</saml:Issuer>${content}</samlp:${name}>`,
  ].join('');
}

/**
 * An authentication request (SAML Core §3.4.1). It asks for no NameID format, because identity providers refuse those
 * that they do not have.
 * @param consumer the address of our assertion consumer service
 */
export function authnRequestXml(head: MessageHead, consumer: string): string {
  const attributes = { ProtocolBinding: POST, AssertionConsumerServiceURL: consumer };
  return messageXml('AuthnRequest', head, { attributes });
}

/** From whom a signed message comes, and where it must have been sent. */
export type ExpectedMessage = {
  /** The sender, and its certificates in PEM. */
  entityId: string;
  certificates: readonly string[];
  recipient: string;
  now: Date;
};

/** A message is used within this time. */
const USABLE_MS = 300_000;

/**
 * Checks the head of a message whose signature was verified.
 * @returns until when it is accepted, so that its ID need not be kept longer
 * @throws SamlFault
 */
export function checkHead(
  root: Element,
  name: string,
  { entityId, recipient, now }: Omit<ExpectedMessage, 'certificates'>,
): { id: string; usableUntil: Date } {
  if (!is(root, PROTOCOL, name)) throw new SamlFault('xml', `The message is not a ${name}.`);
  const id = attribute(root, 'ID');
  if (id === null || id.length > 500 || attribute(root, 'Version') !== '2.0')
    throw new SamlFault('xml', 'The message has no ID or is not of SAML 2.0.');
  const issuer = child(root, ASSERTION, 'Issuer');
  if (!issuer) throw new SamlFault('issuer', 'The message has no issuer.');
  checkIssuer(issuer, entityId);
  // SAML Bindings §3.4.5.2, §3.5.5.2: a signed message names its destination.
  const destination = attribute(root, 'Destination');
  if (destination !== recipient)
    throw new SamlFault(
      'destination',
      `The message is for ${destination ?? 'no destination'}, but this is ${recipient}.`,
    );
  const issued = instantOf(root, 'IssueInstant');
  const until =
    issued && Math.min(issued.getTime() + USABLE_MS, instantOf(root, 'NotOnOrAfter')?.getTime() ?? Infinity);
  if (!issued || until === null || issued.getTime() > now.getTime() + SKEW_MS || now.getTime() >= until + SKEW_MS)
    throw new SamlFault(
      'time',
      `The message is of ${issued?.toISOString() ?? 'no time'}, and it is ${now.toISOString()}.`,
    );
  return { id, usableUntil: new Date(until + SKEW_MS) };
}
