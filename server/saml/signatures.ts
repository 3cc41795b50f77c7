import type { CanonicalizationAlgorithmType, SignedXml } from 'xml-crypto';
import { DIGEST_METHODS, hashAlgorithms, SIGNATURE_METHODS, signatureAlgorithms } from './algorithms.ts';
import { SamlFault } from './fault.ts';
import { signatureLibrary } from './libraries.ts';
import { ENVELOPED, EXCLUSIVE, SIGNATURE } from './names.ts';
import { attribute, child, children, type Element, is, parseXml } from './xml.ts';

/**
 * Verifies the signature of an element and returns the signed element, parsed from the bytes that were digested. Read
 * nothing else: the rest of the document is not signed (signature wrapping).
 * @param source the document of the element
 * @param certificates of the identity provider, in PEM; certificates in the message are never used
 * @throws SamlFault
 */
export function signedElement(
  source: string,
  element: Element,
  certificates: readonly string[],
): { root: Element; source: string } {
  const signature = child(element, SIGNATURE, 'Signature');
  if (!signature) throw new SamlFault('signature', `The ${element.localName} is not signed.`);
  checkForm(signature, element);
  const signed = bytesSignedBy(certificates, source, signature);
  if (!signed)
    throw new SamlFault(
      'signature',
      `The signature of the ${element.localName} was made with none of the certificates of this connection, or the content was changed.`,
    );
  const root = parseXml(signed);
  if (root.localName !== element.localName || attribute(root, 'ID') !== attribute(element, 'ID'))
    throw new SamlFault('signature', 'The signature is about another element.');
  return { root, source: signed };
}

/**
 * Accepts one form of signatures: enveloped, referring to its parent by ID, with exclusive canonicalization (SAML Core
 * §5.4). The other forms that XML Signature allows have been used for attacks.
 */
function checkForm(signature: Element, element: Element): void {
  const [info, value, keyInfo, ...others] = children(signature);
  requireForm(info && is(info, SIGNATURE, 'SignedInfo'), 'SignedInfo');
  requireForm(value && is(value, SIGNATURE, 'SignatureValue'), 'SignatureValue');
  requireForm(!keyInfo || is(keyInfo, SIGNATURE, 'KeyInfo'), 'KeyInfo');
  requireForm(others.length === 0, 'the content');
  const [canonicalization, method, reference, ...more] = children(info);
  requireForm(more.length === 0 && reference && is(reference, SIGNATURE, 'Reference'), 'Reference');
  requireAlgorithm(canonicalization, 'CanonicalizationMethod', new Set([EXCLUSIVE]));
  requireAlgorithm(method, 'SignatureMethod', SIGNATURE_METHODS);
  const id = attribute(element, 'ID');
  requireForm(id !== null && attribute(reference, 'URI') === `#${id}`, 'URI');
  const [transforms, digest, digestValue, ...rest] = children(reference);
  requireForm(rest.length === 0 && digestValue && is(digestValue, SIGNATURE, 'DigestValue'), 'DigestValue');
  requireForm(children(digestValue).length === 0, 'DigestValue');
  requireAlgorithm(digest, 'DigestMethod', DIGEST_METHODS);
  requireForm(transforms && is(transforms, SIGNATURE, 'Transforms'), 'Transforms');
  const [enveloped, exclusive, ...further] = children(transforms);
  requireForm(further.length === 0, 'Transforms');
  requireAlgorithm(enveloped, 'Transform', new Set([ENVELOPED]));
  requireAlgorithm(exclusive, 'Transform', new Set([EXCLUSIVE]));
}

function requireForm(met: unknown, part: string): asserts met {
  if (!met) throw new SamlFault('signature', `The signature has a form that is not accepted: ${part}.`);
}

function requireAlgorithm(element: Element | undefined, name: string, accepted: ReadonlySet<string>): void {
  requireForm(element && is(element, SIGNATURE, name), name);
  const algorithm = attribute(element, 'Algorithm') ?? 'none';
  if (!accepted.has(algorithm)) throw new SamlFault('signature', `The algorithm ${algorithm} is not accepted.`);
}

function bytesSignedBy(certificates: readonly string[], source: string, signature: Element): string | undefined {
  for (const certificate of certificates) {
    const bytes = verifiedBytes(source, signature, certificate);
    if (bytes) return bytes;
  }
  return undefined;
}

/** @returns the canonical XML of the one signed reference; undefined if the signature is not by that certificate */
function verifiedBytes(source: string, signature: Element, certificate: string): string | undefined {
  const { SignedXml } = signatureLibrary();
  try {
    const signed = new SignedXml({ publicCert: certificate, getCertFromKeyInfo: () => null });
    restrict(signed);
    signed.loadSignature(signature);
    if (!signed.checkSignature(source)) return undefined;
    const [bytes, ...others] = signed.getSignedReferences();
    return others.length === 0 ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** The algorithms again, for what the library reads itself. */
function restrict(signed: SignedXml): void {
  const kept: CanonicalizationAlgorithmType[] = [EXCLUSIVE, ENVELOPED];
  for (const name of Object.keys(signed.CanonicalizationAlgorithms))
    if (!kept.includes(name)) Reflect.deleteProperty(signed.CanonicalizationAlgorithms, name);
  signed.SignatureAlgorithms = signatureAlgorithms;
  signed.HashAlgorithms = hashAlgorithms;
}
