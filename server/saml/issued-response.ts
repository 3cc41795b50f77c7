import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { SKEW_MS } from './expected.ts';
import { encryptionLibrary } from './libraries.ts';
import { AES_256_GCM, ASSERTION, BEARER, PROTOCOL, REQUESTER, RESPONDER, RSA_OAEP, SUCCESS } from './names.ts';
import type { ServiceKey } from './service-key.ts';
import { signedXml } from './signing.ts';
import { escapeXml } from './xml.ts';

/** An attribute of the person, as the service provider names it. */
type IssuedAttribute = { name: string; nameFormat: string; values: readonly string[] };

/** What an assertion says about a person (SAML Core §2). */
export type Statement = {
  nameId: { value: string; format: string };
  authenticatedAt: Date;
  /** When the service provider must end its session; null: when it likes. */
  sessionEndsAt: Date | null;
  sessionIndex: string;
  context: string;
  attributes: readonly IssuedAttribute[];
};

/** Who issues a response, and for whom. */
export type Issuing = {
  now: Date;
  /** Our entity id. */
  issuer: string;
  audience: string;
  /** The address of the assertion consumer service. */
  recipient: string;
  /** The id of the request; null for a sign-in that began here. */
  inResponseTo: string | null;
  key: ServiceKey;
  sign: 'assertion' | 'response' | 'both';
  /** In PEM; null: assertions are not encrypted. */
  encryptFor: string | null;
};

/** How long a bearer may present an assertion. */
const USABLE_MS = 300_000;

/** A new ID of a message; an XML ID must not begin with a digit. */
function newMessageId(): string {
  return `_${randomBytes(20).toString('hex')}`;
}

/** A response of the Web Browser SSO profile with an assertion about a person (SAML Profiles §4.1.4.2). */
export async function issuedResponse(issuing: Issuing, statement: Statement): Promise<string> {
  const id = newMessageId();
  const plain = assertionXml(id, issuing, statement);
  const { sign, key, encryptFor } = issuing;
  const assertion = sign === 'response' ? plain : signedXml(plain, 'Assertion', key);
  const content = encryptFor === null ? assertion : await encryptedFor(encryptFor, assertion);
  return responseXml(issuing, `<samlp:StatusCode Value="${SUCCESS}"/>`, { content, signed: sign !== 'assertion' });
}

/** Why nobody was signed in: whose fault it is, and the second status code (SAML Core §3.2.2.2). */
export type Refusal = { by: 'requester' | 'responder'; code: string };

/** A signed response that signs nobody in. */
export function refusedResponse(issuing: Issuing, { by, code }: Refusal): string {
  const first = by === 'requester' ? REQUESTER : RESPONDER;
  const second = `urn:oasis:names:tc:SAML:2.0:status:${code}`;
  const status = `<samlp:StatusCode Value="${first}"><samlp:StatusCode Value="${second}"/></samlp:StatusCode>`;
  return responseXml(issuing, status, { content: '', signed: true });
}

function responseXml(
  issuing: Issuing,
  status: string,
  { content, signed }: { content: string; signed: boolean },
): string {
  const { now, issuer, recipient, inResponseTo, key } = issuing;
  const id = newMessageId();
  const xml = [
    `<samlp:Response xmlns:samlp="${PROTOCOL}" ID="${id}" Version="2.0" IssueInstant="${now.toISOString()}"`,
    ` Destination="${escapeXml(recipient)}"${inResponseToOf(inResponseTo)}>`,
    `<saml:Issuer xmlns:saml="${ASSERTION}">${escapeXml(issuer)}</saml:Issuer>`,
    `<samlp:Status>${status}</samlp:Status>`,
    content,
    '</samlp:Response>',
  ].join('');
  return signed ? signedXml(xml, 'Response', key) : xml;
}

function inResponseToOf(id: string | null): string {
  return id === null ? '' : ` InResponseTo="${escapeXml(id)}"`;
}

function assertionXml(id: string, issuing: Issuing, statement: Statement): string {
  const { now, issuer, audience, recipient, inResponseTo } = issuing;
  const { nameId, authenticatedAt, sessionEndsAt, sessionIndex, context } = statement;
  const from = new Date(now.getTime() - SKEW_MS).toISOString();
  const until = new Date(now.getTime() + USABLE_MS).toISOString();
  const ends = sessionEndsAt ? ` SessionNotOnOrAfter="${sessionEndsAt.toISOString()}"` : '';
  return [
    `<saml:Assertion xmlns:saml="${ASSERTION}" ID="${id}" Version="2.0" IssueInstant="${now.toISOString()}">`,
    `<saml:Issuer>${escapeXml(issuer)}</saml:Issuer>`,
    `<saml:Subject><saml:NameID Format="${nameId.format}">${escapeXml(nameId.value)}</saml:NameID>`,
    `<saml:SubjectConfirmation Method="${BEARER}"><saml:SubjectConfirmationData NotOnOrAfter="${until}"`,
    ` Recipient="${escapeXml(recipient)}"${inResponseToOf(inResponseTo)}/></saml:SubjectConfirmation></saml:Subject>`,
    `<saml:Conditions NotBefore="${from}" NotOnOrAfter="${until}">`,
    `<saml:AudienceRestriction><saml:Audience>${escapeXml(audience)}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${authenticatedAt.toISOString()}" SessionIndex="${escapeXml(sessionIndex)}"${ends}>`,
    `<saml:AuthnContext><saml:AuthnContextClassRef>${escapeXml(context)}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
    attributesXml(statement.attributes),
    '</saml:Assertion>',
  ].join('');
}

function attributesXml(attributes: readonly IssuedAttribute[]): string {
  const written = attributes
    .filter(({ values }) => values.length > 0)
    .map(({ name, nameFormat, values }) => {
      const each = values.map((value) => `<saml:AttributeValue>${escapeXml(value)}</saml:AttributeValue>`);
      return `<saml:Attribute Name="${escapeXml(name)}" NameFormat="${nameFormat}">${each.join('')}</saml:Attribute>`;
    });
  return written.length > 0 ? `<saml:AttributeStatement>${written.join('')}</saml:AttributeStatement>` : '';
}

async function encryptedFor(certificate: string, assertion: string): Promise<string> {
  const data = await promisify(encryptionLibrary().encrypt)(assertion, {
    rsa_pub: certificate,
    pem: certificate,
    encryptionAlgorithm: AES_256_GCM,
    keyEncryptionAlgorithm: RSA_OAEP,
  });
  return `<saml:EncryptedAssertion xmlns:saml="${ASSERTION}">${data}</saml:EncryptedAssertion>`;
}
