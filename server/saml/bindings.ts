import { createSign } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { isSignedBy, SIGNATURE_METHODS } from './algorithms.ts';
import { SamlFault } from './fault.ts';
import { RSA_SHA256 } from './names.ts';
import { signedElement } from './signatures.ts';
import { type Element, MAX_LENGTH, parseXml } from './xml.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const KINDS = ['SAMLRequest', 'SAMLResponse'] as const;
/** The parameter that carries a message. */
type MessageKind = (typeof KINDS)[number];

type Sent = {
  kind: MessageKind;
  xml: string;
  destination: string;
  relayState: string | null;
};

/**
 * The address that takes a message to the other side, signed (SAML Bindings §3.4.4.1).
 * @param privateKey RSA, in PEM
 */
export async function redirectAddress(
  { kind, xml, destination, relayState }: Sent,
  privateKey: string,
): Promise<string> {
  const encoded = (await deflate(xml)).toString('base64');
  const query = [[kind, encoded], ...(relayState === null ? [] : [['RelayState', relayState]]), ['SigAlg', RSA_SHA256]]
    .map(([name, value = '']) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const signature = createSign('RSA-SHA256').update(query).sign(privateKey, 'base64');
  const joint = destination.includes('?') ? '&' : '?';
  return `${destination}${joint}${query}&Signature=${encodeURIComponent(signature)}`;
}

/** The fields of the form that takes a message to the other side (SAML Bindings §3.5.4). */
export function formFields({ kind, xml, relayState }: Omit<Sent, 'destination'>): Record<string, string> {
  const message = Buffer.from(xml).toString('base64');
  return { [kind]: message, ...(relayState !== null && { RelayState: relayState }) };
}

/** A message as it came. Nothing about it is checked. */
export type Received = {
  kind: MessageKind;
  source: string;
  relayState: string | null;
  /** The signature of an address; null: the message came by a form, and its signature is in the XML. */
  detached: { algorithm: string; text: string; signature: string } | 'missing' | null;
};

/**
 * Reads the message in the query of an address (HTTP-Redirect).
 * @param query as it came: the signature is over its very characters
 * @throws SamlFault
 */
export async function receivedInQuery(query: string): Promise<Received> {
  const raw = new Map<string, string>();
  for (const part of query.split('&')) {
    const [name = '', value = ''] = part.split(/=(.*)/s);
    if (raw.has(name)) throw new SamlFault('xml', `The address has ${name.slice(0, 50)} twice.`);
    raw.set(name, value);
  }
  const kind = oneKind((name) => raw.has(name));
  const encoding = raw.get('SAMLEncoding');
  if (encoding !== undefined && decodedPart(encoding) !== 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE')
    throw new SamlFault('xml', 'The message has an unknown SAMLEncoding.');
  const relayState = raw.get('RelayState');
  const [algorithm, signature] = [raw.get('SigAlg'), raw.get('Signature')];
  const signed = [kind, 'RelayState', 'SigAlg'].filter((name) => raw.has(name));
  return {
    kind,
    source: await inflated(decodedPart(raw.get(kind) ?? '')),
    relayState: relayState === undefined ? null : decodedPart(relayState),
    detached:
      algorithm === undefined || signature === undefined
        ? 'missing'
        : {
            algorithm: decodedPart(algorithm),
            text: signed.map((name) => `${name}=${raw.get(name)}`).join('&'),
            signature: decodedPart(signature),
          },
  };
}

/**
 * Reads the message in a form (HTTP-POST).
 * @throws SamlFault
 */
export function receivedInForm(fields: Readonly<Record<string, string>>): Received {
  const kind = oneKind((name) => fields[name] !== undefined);
  return {
    kind,
    source: textIn(decodedBase64(fields[kind] ?? '')),
    relayState: fields['RelayState'] ?? null,
    detached: null,
  };
}

function oneKind(has: (kind: MessageKind) => boolean): MessageKind {
  const [kind, other] = KINDS.filter(has);
  if (!kind || other) throw new SamlFault('xml', 'Exactly one of SAMLRequest and SAMLResponse is needed.');
  return kind;
}

function decodedPart(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch (cause) {
    throw new SamlFault('xml', 'The address is not well-formed.', cause);
  }
}

function decodedBase64(message: string): Buffer {
  const base64 = message.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new SamlFault('xml', 'The message is not base64.');
  return Buffer.from(base64, 'base64');
}

function textIn(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SamlFault('xml', 'The message is not UTF-8.', cause);
  }
}

async function inflated(message: string): Promise<string> {
  const bytes = await inflate(decodedBase64(message), { maxOutputLength: MAX_LENGTH }).catch((cause: unknown) => {
    throw new SamlFault('xml', 'The message can not be decompressed, or is too long.', cause);
  });
  return textIn(bytes);
}

/**
 * The root of a signed message. Read nothing else of it.
 * @param certificates of the sender, in PEM
 * @throws SamlFault
 */
export function signedRoot({ source, detached }: Received, certificates: readonly string[]): Element {
  const root = parseXml(source);
  if (detached === null) return signedElement(source, root, certificates).root;
  if (detached === 'missing') throw new SamlFault('signature', `The ${root.localName} is not signed.`);
  const { algorithm } = detached;
  if (!SIGNATURE_METHODS.has(algorithm))
    throw new SamlFault('signature', `The algorithm ${algorithm.slice(0, 200)} is not accepted.`);
  if (!certificates.some((certificate) => isSignedBy(certificate, detached)))
    throw new SamlFault('signature', 'The signature of the address was made with none of the certificates.');
  return root;
}
