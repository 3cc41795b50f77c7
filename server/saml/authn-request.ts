import { type Received, signedRoot } from './bindings.ts';
import { SamlFault } from './fault.ts';
import { ASSERTION, ENTITY, NAME_ID_FORMATS, POST, PROTOCOL, SIGNATURE } from './names.ts';
import { attribute, child, childrenNamed, type Element, is, parseXml, textOf } from './xml.ts';

/** A sign-in that a service provider asks for, after every check. */
export type SignInRequest = {
  id: string;
  /** Where the response goes; null: to the default address of the service provider. */
  consumer: { url: string } | { index: number } | null;
  forceAuthn: boolean;
  isPassive: boolean;
  /** null: the service provider accepts every format. */
  nameIdFormat: string | null;
  contexts: RequestedContexts | null;
};

type RequestedContexts = { comparison: 'exact' | 'minimum' | 'maximum' | 'better'; classes: string[] };

/** What a request must be: from that service provider, and for this address. */
type ExpectedRequest = {
  entityId: string;
  /** Of the service provider, in PEM. */
  certificates: readonly string[];
  requireSigned: boolean;
  /** Our addresses at which the request may have come. */
  destinations: readonly string[];
};

/**
 * Reads an authentication request (SAML Core §3.4.1, Profiles §4.1.4.1). A signature is checked whenever the service
 * provider has certificates; then only signed bytes are read.
 * @throws SamlFault
 */
export function readAuthnRequest(received: Received, expected: ExpectedRequest): SignInRequest {
  const { root, isSigned } = rootOf(received, expected);
  if (!is(root, PROTOCOL, 'AuthnRequest')) throw new SamlFault('xml', 'The message is not a SAML request to sign in.');
  checkOrigin(root, expected, isSigned);
  return contentOf(root);
}

function rootOf(
  received: Received,
  { certificates, requireSigned }: ExpectedRequest,
): { root: Element; isSigned: boolean } {
  const root = parseXml(received.source);
  // By redirect, a signature inside of the XML does not count (SAML Bindings §3.4.4.1).
  const isSigned =
    received.detached === null ? child(root, SIGNATURE, 'Signature') !== undefined : received.detached !== 'missing';
  if (requireSigned || (isSigned && certificates.length > 0))
    return { root: signedRoot(received, certificates), isSigned: true };
  return { root, isSigned: false };
}

function checkOrigin(request: Element, { entityId, destinations }: ExpectedRequest, isSigned: boolean): void {
  if (attribute(request, 'Version') !== '2.0') throw new SamlFault('xml', 'The request is not of SAML 2.0.');
  const issuer = child(request, ASSERTION, 'Issuer');
  if (!issuer) throw new SamlFault('issuer', 'The request has no issuer.');
  const format = attribute(issuer, 'Format');
  const name = textOf(issuer);
  if ((format !== null && format !== ENTITY) || name !== entityId)
    throw new SamlFault('issuer', `The request is from ${name.slice(0, 200)}, but this application is ${entityId}.`);
  const destination = attribute(request, 'Destination');
  // SAML Bindings §3.4.5.2 and §3.5.5.2: a signed message names its destination.
  if (destination === null ? isSigned : !destinations.includes(destination.replace(/\?.*$/s, '')))
    throw new SamlFault(
      'destination',
      `The request is for ${(destination ?? 'no destination').slice(0, 300)}, but this is ${destinations.join(', ')}.`,
    );
}

const MAX_ID = 200;

function contentOf(request: Element): SignInRequest {
  const id = attribute(request, 'ID');
  // An XML ID; it is written into the response.
  if (id === null || id.length > MAX_ID || !/^[A-Za-z_][\w.-]*$/.test(id))
    throw new SamlFault('xml', 'The request has no valid ID.');
  if (child(request, ASSERTION, 'Subject'))
    throw new SamlFault('subject', 'Requests that name the person are not supported.');
  const binding = attribute(request, 'ProtocolBinding');
  if (binding !== null && binding !== POST)
    throw new SamlFault('destination', `Responses go by HTTP-POST; ${binding.slice(0, 100)} is not supported.`);
  const policy = child(request, PROTOCOL, 'NameIDPolicy');
  const format = policy ? attribute(policy, 'Format') : null;
  return {
    id,
    consumer: consumerOf(request),
    forceAuthn: truthOf(request, 'ForceAuthn'),
    isPassive: truthOf(request, 'IsPassive'),
    nameIdFormat: format === NAME_ID_FORMATS.unspecified ? null : format,
    contexts: contextsOf(request),
  };
}

function truthOf(request: Element, name: string): boolean {
  const value = attribute(request, name);
  if (value === null || value === 'false' || value === '0') return false;
  if (value === 'true' || value === '1') return true;
  throw new SamlFault('xml', `${name} is neither true nor false.`);
}

function consumerOf(request: Element): SignInRequest['consumer'] {
  const url = attribute(request, 'AssertionConsumerServiceURL');
  const index = attribute(request, 'AssertionConsumerServiceIndex');
  if (url !== null && index !== null)
    throw new SamlFault('recipient', 'The request names its assertion consumer service by address and by index.');
  if (url !== null) return { url };
  if (index === null) return null;
  if (!/^\d{1,5}$/.test(index)) throw new SamlFault('recipient', 'AssertionConsumerServiceIndex is no number.');
  return { index: Number(index) };
}

const COMPARISONS = ['exact', 'minimum', 'maximum', 'better'] as const;
const MAX_CLASSES = 20;

function contextsOf(request: Element): RequestedContexts | null {
  const requested = child(request, PROTOCOL, 'RequestedAuthnContext');
  if (!requested) return null;
  const written = attribute(requested, 'Comparison') ?? 'exact';
  const comparison = COMPARISONS.find((known) => known === written);
  const classes = childrenNamed(requested, ASSERTION, 'AuthnContextClassRef').map(textOf);
  if (!comparison || classes.length === 0 || classes.length > MAX_CLASSES)
    throw new SamlFault('xml', 'RequestedAuthnContext is not understood: it needs authentication context classes.');
  return { comparison, classes };
}
