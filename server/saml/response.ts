import { type AssertionContent, assertionContent } from './assertion.ts';
import { decrypted } from './encryption.ts';
import { checkIssuer, type Expected } from './expected.ts';
import { SamlFault } from './fault.ts';
import { ASSERTION, PROTOCOL, SIGNATURE, SUCCESS } from './names.ts';
import { signedElement } from './signatures.ts';
import { attribute, child, childrenNamed, descendantsNamed, type Element, is, parseXml, textOf } from './xml.ts';

/**
 * Reads a response of the Web Browser SSO profile (SAML Profiles §4.1.4.3). Only signed bytes are read.
 * @param source the XML of the response
 * @throws SamlFault with the check that failed
 */
export async function readResponse(source: string, expected: Expected): Promise<AssertionContent> {
  const received = parseXml(source);
  if (!is(received, PROTOCOL, 'Response')) throw new SamlFault('xml', 'The message is not a SAML response.');
  requireOneAssertion(received);
  const outer = child(received, SIGNATURE, 'Signature')
    ? signedElement(source, received, expected.certificates)
    : { root: received, source };
  checkResponse(outer.root, expected, outer.root !== received);
  const inner = await assertionOf(outer, expected);
  const signature = child(inner.root, SIGNATURE, 'Signature');
  if (!signature && outer.root === received)
    throw new SamlFault('signature', 'Neither the response nor the assertion is signed.');
  const { root } = signature ? signedElement(inner.source, inner.root, expected.certificates) : inner;
  if (!is(root, ASSERTION, 'Assertion')) throw new SamlFault('assertions', 'The signed element is not an assertion.');
  return assertionContent(root, expected);
}

/** Every signature wrapping needs a second assertion; an honest response has one. */
function requireOneAssertion(response: Element): void {
  const plain = descendantsNamed(response, ASSERTION, 'Assertion');
  const encrypted = descendantsNamed(response, ASSERTION, 'EncryptedAssertion');
  const [first, second] = [...plain, ...encrypted];
  if (!first) {
    checkStatus(response);
    throw new SamlFault('assertions', 'The response has no assertion.');
  }
  if (second) throw new SamlFault('assertions', 'The response has more than one assertion.');
  if (first.parentNode !== response) throw new SamlFault('assertions', 'The assertion is not in the response itself.');
  if (descendantsNamed(response, PROTOCOL, 'Response').length > 0)
    throw new SamlFault('assertions', 'The response has another response inside.');
}

/**
 * The assertion of a response, in the document that its signature is checked in. A decrypted one is a document of its
 * own.
 */
async function assertionOf(
  { root, source }: { root: Element; source: string },
  { decryptionKeys }: Expected,
): Promise<{ root: Element; source: string }> {
  const [plain] = childrenNamed(root, ASSERTION, 'Assertion');
  if (plain) return { root: plain, source };
  const [encrypted] = childrenNamed(root, ASSERTION, 'EncryptedAssertion');
  if (!encrypted) throw new SamlFault('assertions', 'The signed response has no assertion.');
  const text = await decrypted(encrypted, decryptionKeys);
  const assertion = parseXml(text);
  if (!is(assertion, ASSERTION, 'Assertion') || descendantsNamed(assertion, ASSERTION, 'Assertion').length > 0)
    throw new SamlFault('assertions', 'What was encrypted is not one assertion.');
  return { root: assertion, source: text };
}

/** Checks the response itself. It may be unsigned, so the assertion is checked for the same again. */
function checkResponse(response: Element, expected: Expected, signed: boolean): void {
  if (attribute(response, 'Version') !== '2.0') throw new SamlFault('xml', 'The response is not of SAML 2.0.');
  checkStatus(response);
  const issuer = child(response, ASSERTION, 'Issuer');
  if (issuer) checkIssuer(issuer, expected.entityId);
  const destination = attribute(response, 'Destination');
  // SAML Bindings §3.5.5.2: a signed message names its destination.
  if (destination === null ? signed : destination !== expected.recipient)
    throw new SamlFault(
      'destination',
      `The response is for ${destination ?? 'no destination'}, but this is ${expected.recipient}.`,
    );
  const inResponseTo = attribute(response, 'InResponseTo');
  if (inResponseTo !== null && inResponseTo !== expected.requestId)
    throw new SamlFault('in_response_to', 'The response answers another request.');
}

function checkStatus(response: Element): void {
  const status = child(response, PROTOCOL, 'Status');
  const code = status && child(status, PROTOCOL, 'StatusCode');
  const value = code && attribute(code, 'Value');
  if (value === SUCCESS) return;
  const second = code && child(code, PROTOCOL, 'StatusCode');
  const message = status && child(status, PROTOCOL, 'StatusMessage');
  const told = [value, second && attribute(second, 'Value'), message && textOf(message)].filter(Boolean).join(', ');
  throw new SamlFault(
    'status',
    `The identity provider did not sign the person in: ${told.slice(0, 500) || 'no status'}.`,
  );
}
