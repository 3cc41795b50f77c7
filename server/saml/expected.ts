import { SamlFault } from './fault.ts';
import { ENTITY } from './names.ts';
import { attribute, type Element, textOf } from './xml.ts';

/** What a response must be: from that identity provider, for this connection, and for that sign-in. */
export type Expected = {
  /** The identity provider, and its certificates in PEM. */
  entityId: string;
  certificates: readonly string[];
  /** Our entity id, the address of the assertion consumer service, and the keys that decrypt, in PEM. */
  audience: string;
  recipient: string;
  decryptionKeys: readonly string[];
  /** The id of the request that the browser carried; null for a sign-in that the identity provider began. */
  requestId: string | null;
  now: Date;
};

/** Clocks may differ by this much. */
export const SKEW_MS = 60_000;

/** @throws SamlFault */
export function checkIssuer(issuer: Element, entityId: string): void {
  const format = attribute(issuer, 'Format');
  if ((format !== null && format !== ENTITY) || textOf(issuer) !== entityId)
    throw new SamlFault('issuer', `The message is from ${textOf(issuer).slice(0, 200)}, but expected is ${entityId}.`);
}
