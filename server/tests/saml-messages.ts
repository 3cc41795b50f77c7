import { createSign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { ServiceKey } from '#saml';

export const deflated = (xml: string): string => deflateRawSync(xml).toString('base64');

/** The query of HTTP-Redirect, signed if there is a key. */
export function redirectQuery(
  xml: string,
  { relayState, key }: { relayState?: string; key?: ServiceKey } = {},
): string {
  const pairs = [
    `SAMLRequest=${encodeURIComponent(deflated(xml))}`,
    ...(relayState === undefined ? [] : [`RelayState=${encodeURIComponent(relayState)}`]),
  ];
  if (!key) return pairs.join('&');
  const signed = [...pairs, `SigAlg=${encodeURIComponent('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')}`].join(
    '&',
  );
  const signature = createSign('RSA-SHA256').update(signed).sign(key.privateKey, 'base64');
  return `${signed}&Signature=${encodeURIComponent(signature)}`;
}
