import { type Received, signedRoot } from './bindings.ts';
import { decrypted } from './encryption.ts';
import { SamlFault } from './fault.ts';
import { checkHead, type ExpectedMessage, type MessageHead, messageXml } from './messages.ts';
import { type NameId, nameIdOf, nameIdXml } from './name-id.ts';
import { ASSERTION, PROTOCOL, SUCCESS } from './names.ts';
import { attribute, child, childrenNamed, type Element, escapeXml, parseXml, textOf } from './xml.ts';

/** A logout that the other side asks for. */
export type LogoutRequest = NameId & {
  id: string;
  /** Of the sessions to end; empty: all of the person (SAML Core §3.7.3.1). */
  sessionIndexes: string[];
  usableUntil: Date;
};

const USABLE_MS = 300_000;
const MAX_SESSION_INDEXES = 100;

/** A request to log out, without a signature (SAML Core §3.7.1). */
export function logoutRequestXml(head: MessageHead, person: NameId, sessionIndexes: readonly string[]): string {
  const indexes = sessionIndexes.map((index) => `<samlp:SessionIndex>${escapeXml(index)}</samlp:SessionIndex>`);
  return messageXml('LogoutRequest', head, {
    attributes: { NotOnOrAfter: new Date(head.issuedAt.getTime() + USABLE_MS).toISOString() },
    content: `${nameIdXml(person)}${indexes.join('')}`,
  });
}

/**
 * Reads a request to log out and checks it.
 * @param decryptionKeys in PEM, for a NameID that is encrypted
 * @throws SamlFault
 */
export async function readLogoutRequest(
  received: Received,
  expected: ExpectedMessage,
  decryptionKeys: readonly string[],
): Promise<LogoutRequest> {
  const root = signedRoot(received, expected.certificates);
  const head = checkHead(root, 'LogoutRequest', expected);
  const indexes = childrenNamed(root, PROTOCOL, 'SessionIndex').map(textOf);
  if (indexes.length > MAX_SESSION_INDEXES) throw new SamlFault('xml', 'The request has too many sessions.');
  return { ...head, ...(await personIn(root, decryptionKeys)), sessionIndexes: indexes };
}

async function personIn(request: Element, decryptionKeys: readonly string[]): Promise<NameId> {
  const encrypted = child(request, ASSERTION, 'EncryptedID');
  if (!encrypted) return nameIdOf(child(request, ASSERTION, 'NameID'));
  if (child(request, ASSERTION, 'NameID')) throw new SamlFault('subject', 'The request names two people.');
  const plain = parseXml(await decrypted(encrypted, decryptionKeys));
  return nameIdOf(plain.namespaceURI === ASSERTION && plain.localName === 'NameID' ? plain : undefined);
}

const RESPONDER = 'urn:oasis:names:tc:SAML:2.0:status:Responder';
const REQUESTER = 'urn:oasis:names:tc:SAML:2.0:status:Requester';
const PARTIAL = 'urn:oasis:names:tc:SAML:2.0:status:PartialLogout';

/** How a logout ended: everywhere, not with every party, or not at all because the request was refused. */
export type LogoutResult = 'success' | 'partial' | 'refused';
const STATUS: Readonly<Record<LogoutResult, string>> = {
  success: `<samlp:StatusCode Value="${SUCCESS}"/>`,
  partial: `<samlp:StatusCode Value="${RESPONDER}"><samlp:StatusCode Value="${PARTIAL}"/></samlp:StatusCode>`,
  refused: `<samlp:StatusCode Value="${REQUESTER}"/>`,
};

/** The response to a request to log out, without a signature (SAML Core §3.7.2). */
export function logoutResponseXml(head: MessageHead, inResponseTo: string, result: LogoutResult): string {
  const content = `<samlp:Status>${STATUS[result]}</samlp:Status>`;
  return messageXml('LogoutResponse', head, { attributes: { InResponseTo: inResponseTo }, content });
}

/**
 * Reads the response to our request to log out and checks it.
 * @throws SamlFault
 */
export function readLogoutResponse(
  received: Received,
  { requestId, ...expected }: ExpectedMessage & { requestId: string },
): { result: LogoutResult } {
  const root = signedRoot(received, expected.certificates);
  checkHead(root, 'LogoutResponse', expected);
  if (attribute(root, 'InResponseTo') !== requestId)
    throw new SamlFault('in_response_to', 'The response answers another request.');
  const status = child(root, PROTOCOL, 'Status');
  const code = status && child(status, PROTOCOL, 'StatusCode');
  const second = code && child(code, PROTOCOL, 'StatusCode');
  if (second && attribute(second, 'Value') === PARTIAL) return { result: 'partial' };
  return { result: code && attribute(code, 'Value') === SUCCESS ? 'success' : 'refused' };
}
